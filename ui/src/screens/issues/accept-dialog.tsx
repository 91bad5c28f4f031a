/** Accepts or ignores findings of an issue: one URL, those of a pattern, or all of them, with a reason and perhaps an end. */
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/controls/button.tsx";
import { Field } from "../../components/controls/field.tsx";
import { Segmented, TextInput } from "../../components/controls/input.tsx";
import { Dialog } from "../../components/feedback/dialog.tsx";
import { useToast } from "../../components/feedback/toast.tsx";
import { problemFrom } from "../../lib/api.ts";
import { useAccept } from "../../lib/changes.ts";
import type { Finding, NewAcceptance } from "../../lib/contract.ts";
import { useCrawlId } from "../../lib/place.ts";

type Scope = "url" | "pattern" | "rule";

export interface AcceptDialogProps {
  rule: string;
  /** What was clicked; null for the whole issue. */
  finding: Pick<Finding, "url" | "evidence"> | null;
  onClose: () => void;
}

export function AcceptDialog({ rule, finding, onClose }: AcceptDialogProps) {
  const crawlId = useCrawlId();
  const [action, setAction] = useState<NonNullable<NewAcceptance["action"]>>("accept");
  const [scope, setScope] = useState<Scope>(finding === null ? "rule" : "url");
  const [pattern, setPattern] = useState("");
  const [reason, setReason] = useState("");
  const [until, setUntil] = useState("");
  const accept = useAccept(crawlId);
  const toast = useToast();
  const formId = useId();
  const isReady = reason.trim() !== "" && (scope !== "pattern" || pattern.trim() !== "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    accept.mutate(
      {
        ...{ rule, action, reason: reason.trim(), until: until === "" ? null : until },
        url: scope === "url" ? (finding?.url ?? null) : null,
        evidence: scope === "url" ? (finding?.evidence ?? null) : null,
        pattern: scope === "pattern" ? pattern.trim() : null,
      },
      {
        onSuccess: ({ file }) => {
          toast.show({ tone: "ok", title: action === "accept" ? "Accepted" : "Ignored", detail: `Kept in ${file}` });
          onClose();
        },
      },
    );
  };
  const scopes = [
    ...(finding === null ? [] : [{ value: "url" as const, label: "This URL" }]),
    { value: "pattern" as const, label: "A pattern of URLs" },
    { value: "rule" as const, label: "The whole issue" },
  ];
  return (
    <Dialog
      title="Accept or ignore"
      size="medium"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={!isReady} isBusy={accept.isPending}>
            {action === "accept" ? "Accept" : "Ignore"}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        <div className="stack-tight">
          <Segmented
            label="What to do"
            value={action}
            onValue={setAction}
            options={[
              { value: "accept", label: "Accept" },
              { value: "ignore", label: "Ignore" },
            ]}
          />
          <p className="muted">
            {action === "accept" ? "It is a problem, but it stays for now." : "It is not a problem here."}
          </p>
        </div>
        <Segmented label="For which URLs" value={scope} onValue={setScope} options={scopes} />
        {scope === "pattern" && (
          <Field
            label="Pattern"
            help="Written as in the setting Exclude: /blog/*, or a regular expression between slashes."
          >
            {(control) => <TextInput {...control} placeholder="/blog/*" value={pattern} onValue={setPattern} />}
          </Field>
        )}
        <Field
          label="Reason"
          help="For anyone who reads it later. It also applies to later crawls of this project."
          error={accept.error === null ? null : (problemFrom(accept.error).detail ?? problemFrom(accept.error).title)}
        >
          {(control) => <TextInput {...control} data-autofocus maxLength={2_000} value={reason} onValue={setReason} />}
        </Field>
        <Field label="Until" help="The last day on which it applies. Leave it empty to keep it until it is removed.">
          {(control) => <TextInput {...control} type="date" value={until} onValue={setUntil} />}
        </Field>
      </form>
    </Dialog>
  );
}
