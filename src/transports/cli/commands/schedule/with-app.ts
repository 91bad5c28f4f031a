/** Opens the app for as long as `use` runs. */
import type { App } from "../../../../app/app.ts";
import type { Cli } from "../../cli.ts";

export async function withApp<T>(cli: Cli, use: (app: App) => T | Promise<T>): Promise<T> {
  // Loaded here, so that help and bad usage answer at once.
  const { openApp } = await import("../../open-app.ts");
  const app = openApp(cli);
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}
