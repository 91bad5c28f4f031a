// The service worker: makes the app installable, and shows its own page when the server is not running.
// It caches that one page and nothing else; data and the app itself always come from the server.
const CACHE = "trawl-offline-1";
const OFFLINE = ["/offline.html", "/offline.js", "/icon.svg", "/theme.js"];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(OFFLINE)));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  const dropOld = async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(dropOld());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname } = new URL(request.url);
  if (request.method !== "GET" || pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(() => caches.match("/offline.html")));
  } else if (OFFLINE.includes(pathname)) {
    event.respondWith(fetch(request).catch(() => caches.match(request)));
  }
});
