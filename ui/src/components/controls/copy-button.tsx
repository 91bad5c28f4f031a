/** Copies a text, and confirms it. */
import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { useToast } from "../feedback/toast.tsx";
import { IconButton } from "./button.tsx";

const SHOWN_MS = 1_500;

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const toast = useToast();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      toast.show({ tone: "bad", title: "The browser did not allow copying" });
    }
  };
  return <IconButton label={isCopied ? "Copied" : label} icon={isCopied ? Check : Copy} onClick={copy} />;
}
