import { httpPort, poolerPort, postgresPort, responderPort } from "./ports.ts";

type Servers = Readonly<Record<string, string>>;

/** HAProxy before the instances. A request is sent again only when no connection was made. */
export function frontSettings(instances: Servers): string {
  return `
global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout tunnel 1h
  timeout check 2s
  retries 3
  option redispatch 1
  option forwardfor
frontend front
  bind :${httpPort}
  default_backend instances
backend instances
  balance roundrobin
  option httpchk GET /health/ready
  default-server inter 500ms fall 2 rise 1
${serverLines(instances, httpPort, "check")}
`;
}

/** HAProxy before PostgreSQL: all connections go to the primary, and end when it is not the primary any more. */
export function databaseProxySettings(servers: Servers): string {
  return `
global
  maxconn 1000
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
  option tcpka
frontend database
  bind :${postgresPort} tcp-ut 5s
  default_backend primary
backend primary
  option httpchk GET /
  default-server inter 300ms fall 2 rise 1 on-marked-down shutdown-sessions tcp-ut 5s
${serverLines(servers, postgresPort, `check port ${responderPort}`)}
`;
}

function serverLines(servers: Servers, port: number, options: string): string {
  return Object.entries(servers)
    .map(([name, address]) => `  server ${name} ${address}:${port} ${options}`)
    .join("\n");
}

/** PgBouncer, which gives a connection to a transaction and takes it back at its end. */
export function poolerSettings(database: string): string {
  return `
[databases]
* = host=${database} port=${postgresPort} user=postgres
[pgbouncer]
listen_addr = *
listen_port = ${poolerPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 1000
default_pool_size = 40
server_connect_timeout = 2
server_login_retry = 1
server_check_delay = 1
query_wait_timeout = 10
tcp_keepalive = 1
tcp_keepidle = 5
tcp_keepintvl = 2
tcp_keepcnt = 2
tcp_user_timeout = 5000
`;
}
