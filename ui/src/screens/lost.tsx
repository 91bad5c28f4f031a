/** When a path leads nowhere, or a screen failed to draw. */
import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Page } from "../components/page.tsx";
import { EmptyState, ErrorState } from "../components/states.tsx";

export function NotFound() {
  return (
    <Page title="Nothing here">
      <EmptyState icon={Compass} title="This page does not exist" action={<Link to="/">Go to the start</Link>}>
        The address may be mistyped, or what it named was deleted.
      </EmptyState>
    </Page>
  );
}

export function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This screen failed">
      <ErrorState error={error} onRetry={reset} />
    </Page>
  );
}
