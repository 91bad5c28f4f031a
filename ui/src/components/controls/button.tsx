/** Buttons: with text, or with an icon alone, which then needs a label. */
import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Tooltip } from "./popover.tsx";
import "./button.css";

export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  icon?: LucideIcon;
  isBusy?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}

export function Button({
  look = "plain",
  icon: Icon,
  isBusy = false,
  disabled,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`button button-${look} ${className ?? ""}`}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy ? <LoaderCircle className="spin" size={15} aria-hidden /> : Icon && <Icon size={15} aria-hidden />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  /** What a screen reader says and the tooltip shows. */
  label: string;
  icon: LucideIcon;
  look?: "quiet" | "plain";
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, icon: Icon, look = "quiet", className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        className={`button button-icon button-${look} ${className ?? ""}`}
        aria-label={label}
        {...rest}
      >
        <Icon size={16} aria-hidden />
      </button>
    </Tooltip>
  );
}
