import assert from "node:assert/strict";
import { test } from "node:test";
import { networkOf } from "@tenon/core/middleware";

test("X4 IPv6 is keyed by /64, however the address is written", () => {
  const same = [
    "2001:db8:1:2::1",
    "2001:db8:1:2:ffff:ffff:ffff:ffff",
    "2001:0db8:0001:0002:0000:0000:0000:0001",
    "2001:DB8:1:2::abcd%eth0",
    "2001:db8:1:2::192.0.2.1",
  ];
  for (const address of same) assert.equal(networkOf(address), "2001:db8:1:2::/64", address);
  assert.equal(networkOf("2001:db8:1:3::1"), "2001:db8:1:3::/64");
  assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
  assert.equal(networkOf("::1"), "0:0:0:0::/64");
  assert.equal(networkOf("fe80::1:2:3:4"), "fe80:0:0:0::/64");
  assert.equal(networkOf("1:2:3:4:5:6:7::"), "1:2:3:4::/64");
});

test("X4 IPv4-mapped addresses are keyed as IPv4, each by itself", () => {
  assert.equal(networkOf("::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(networkOf("::FFFF:c000:202"), "192.0.2.2");
  assert.equal(networkOf("0:0:0:0:0:ffff:192.0.2.3"), "192.0.2.3");
  assert.equal(networkOf("192.0.2.1"), "192.0.2.1");
  assert.equal(networkOf("::fffe:192.0.2.1"), "0:0:0:0::/64");
});

test("what is no address stands for itself", () => {
  for (const text of ["", "unknown", "256.1.1.1", "1::2::3"]) assert.equal(networkOf(text), text);
});
