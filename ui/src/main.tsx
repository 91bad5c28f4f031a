/** The entry of the web app. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import { ToastProvider } from "./components/feedback/toast.tsx";
import { router } from "./router.tsx";
import { NewsProvider } from "./shell/news.tsx";
import { ShortcutProvider } from "./shell/shortcuts.tsx";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Events mark data as old, so moving between screens does not fetch it again.
      staleTime: 30_000,
      // A refused request will be refused again, and the event stream notices when the server is back.
      retry: false,
      refetchOnWindowFocus: false,
      // The server is usually on this machine: a browser that calls itself offline still reaches it.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <ToastProvider>
        <NewsProvider>
          <ShortcutProvider>
            <RouterProvider router={router} />
          </ShortcutProvider>
        </NewsProvider>
      </ToastProvider>
    </QueryClientProvider>
  </StrictMode>,
);

if (import.meta.env.PROD && "serviceWorker" in navigator) {
  // The app works without it, but cannot be installed.
  navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}
