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
      // Events tell when data is old, so that going back and forth between screens asks nothing anew.
      staleTime: 30_000,
      // What the server refuses it will refuse again; one that is away is asked by the news, not by each question.
      retry: false,
      refetchOnWindowFocus: false,
    },
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
  // Without it the app works as well; it only cannot be installed.
  navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}
