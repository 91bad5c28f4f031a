/** Gives the columns, filters and order that are shown a name. */
import { type FormEvent, useId, useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/input.tsx";
import { useToast } from "../../components/toast.tsx";
import { ApiError } from "../../lib/api.ts";
import { useSaveView } from "../../lib/changes.ts";
import { plural } from "../../lib/format.ts";
import type { UrlView } from "./url-view.ts";

export function SaveView({ view, taken, onClose }: { view: UrlView; taken: readonly string[]; onClose: () => void }) {
  const [name, setName] = useState("");
  const save = useSaveView();
  const toast = useToast();
  const formId = useId();
  const typed = name.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === "") return;
    save.mutate(
      { ...view, name: typed },
      {
        onSuccess: () => {
          toast.show({ tone: "ok", title: `Saved as “${typed}”` });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog
      title="Save this view"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={typed === ""} isBusy={save.isPending}>
            {taken.includes(typed) ? "Replace it" : "Save view"}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={submit}>
        <Field
          label="Name"
          help={
            taken.includes(typed)
              ? "A view of this name exists; it is replaced."
              : `${plural(view.fields.length, "column")}, ${plural(view.filter.length, "filter")}. It can be used in every project.`
          }
          error={save.error === null ? null : save.error instanceof ApiError ? save.error.message : String(save.error)}
        >
          {(control) => (
            <TextInput
              {...control}
              data-autofocus
              maxLength={100}
              autoComplete="off"
              placeholder="Such as: Broken product pages"
              value={name}
              onValue={setName}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
