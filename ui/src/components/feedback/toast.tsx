/** Notifications in the corner. Errors stay until closed; the rest disappear by themselves, unless the pointer is over them. */
import { CheckCircle2, CircleAlert, Info, X } from "lucide-react";
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from "react";
import { inWords, problemFrom } from "../../lib/api.ts";
import { Button, IconButton } from "../controls/button.tsx";
import "./toast.css";

export interface Toast {
  tone: "ok" | "info" | "bad";
  title: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

export interface Toaster {
  show(toast: Toast): void;
  /** For a failed request: what happened and what to do. */
  fail(error: unknown): void;
}

const STAY_MS = 6_000;
const ICONS = { ok: CheckCircle2, info: Info, bad: CircleAlert };
const Context = createContext<Toaster | null>(null);

export function useToast(): Toaster {
  return use(Context)!;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<(Toast & { id: number })[]>([]);
  const close = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const toaster = useMemo<Toaster>(() => {
    let last = 0;
    const show = (toast: Toast) => {
      const id = ++last;
      setToasts((all) => [...all.slice(-3), { ...toast, id }]);
    };
    const fail = (error: unknown) => {
      const problem = problemFrom(error);
      const { title, detail } = inWords(problem);
      show({ tone: "bad", title, detail: [detail, problem.hint].filter(Boolean).join(" ") || undefined });
    };
    return { show, fail };
  }, []);
  return (
    <Context value={toaster}>
      {children}
      <section className="toasts" aria-label="Notifications" aria-live="polite">
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={() => close(toast.id)} />
        ))}
      </section>
    </Context>
  );
}

function ToastCard({ toast, onClose }: { toast: Toast; onClose: () => void }) {
  const [isHeld, setHeld] = useState(false);
  const stays = toast.tone === "bad" || isHeld;
  useEffect(() => {
    if (stays) return;
    const timer = setTimeout(onClose, STAY_MS);
    return () => clearTimeout(timer);
  });
  const Icon = ICONS[toast.tone];
  return (
    <div
      className={`toast toast-${toast.tone}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <Icon size={17} aria-hidden />
      <div className="grow">
        <p className="toast-title">{toast.title}</p>
        {toast.detail && <p className="muted">{toast.detail}</p>}
      </div>
      {toast.action && (
        <Button
          onClick={() => {
            toast.action?.run();
            onClose();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton label="Close" icon={X} onClick={onClose} />
    </div>
  );
}
