/** How the web app is built: into dist/ui, where `trawl serve` finds it. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "/",
  plugins: [react()],
  build: {
    outDir: here("../dist/ui"),
    emptyOutDir: true,
    target: "es2023",
    // The content security policy allows no data: fonts or scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Parts that rarely change keep their names, so they stay in the browser's cache between versions.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "vendor", test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// }],
        },
      },
    },
  },
  server: {
    // For development: `vite --config ui/vite.config.ts` next to a running `trawl serve`.
    proxy: {
      "/api": {
        target: process.env["TRAWL_SERVER"] ?? "http://127.0.0.1:8080",
        headers: { authorization: `Bearer ${process.env["TRAWL_TOKEN"] ?? ""}` },
      },
    },
  },
});
