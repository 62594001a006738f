// Keeps the list of requests up to date, and copies commands. Every page works without it.
{
  const body = document.querySelector("[data-live]");
  let source;
  let timer;

  const refresh = async () => {
    const url = new URL(location.href);
    url.searchParams.set("part", "rows");
    const response = await fetch(url);
    if (!response.ok) return;
    const focused = document.activeElement?.getAttribute("href");
    body.innerHTML = await response.text();
    document.querySelector("main > .empty")?.toggleAttribute("hidden", body.rows.length > 0);
    if (focused) body.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  };

  // only while the page is visible, because a browser opens few connections to one host
  const connect = () => {
    clearTimeout(timer);
    source?.close();
    if (document.hidden) return;
    source = new EventSource("/_dev/events");
    source.addEventListener("open", refresh);
    source.addEventListener("change", refresh);
    source.addEventListener("error", () => {
      source.close();
      timer = setTimeout(connect, 500);
    });
  };

  if (body !== null) {
    document.addEventListener("visibilitychange", connect);
    connect();
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }
}
