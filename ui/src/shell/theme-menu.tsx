/** Chooses the theme: the system's, light or dark. */
import { Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Menu } from "../components/menu.tsx";
import { applyTheme, readTheme, THEMES, type Theme } from "../lib/theme.ts";

const ICONS = { system: Monitor, light: Sun, dark: Moon };
const LABELS = { system: "As the system", light: "Light", dark: "Dark" };

export function ThemeMenu() {
  const [theme, setTheme] = useState<Theme>(() => readTheme(localStorage));
  const choose = (next: Theme) => {
    applyTheme(next, document.documentElement, localStorage);
    setTheme(next);
  };
  return (
    <Menu
      label="Theme"
      icon={ICONS[theme]}
      isIconOnly
      items={THEMES.map((one) => ({
        id: one,
        label: LABELS[one],
        icon: ICONS[one],
        isChosen: one === theme,
        onSelect: () => choose(one),
      }))}
    />
  );
}
