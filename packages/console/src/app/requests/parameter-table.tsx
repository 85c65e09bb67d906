import { SECRET_NAMES, type AdminRequest } from "@snap/protocol";
import type { JSX } from "preact";
import { Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";

export function ParameterTable({ parameters }: Pick<AdminRequest, "parameters">): JSX.Element {
  const entries = Object.entries(parameters ?? {});
  const hasSecrets = entries.some(([name]) => SECRET_NAMES.has(name));
  return (
    <section class="panel" aria-labelledby="parameters">
      <h2 id="parameters" class="panel-title">
        Parameters
      </h2>
      {parameters === null ? (
        <Empty title="Not stored.">
          <p>
            Parameters are not stored if they are invalid or longer than 64 KiB, or if the request was
            rejected before they were read.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Parameters"
          rows={entries}
          rowKey={([name]) => name}
          isPairs
          columns={[
            { label: "Name", cell: ([name]) => <code>{name}</code> },
            {
              label: "Value",
              cell: ([, value]) => <span class="any-text mono">{textOf(value)}</span>,
              isWide: true,
            },
          ]}
        />
      )}
      {hasSecrets && <p class="panel-note">Secrets are not stored, so the playground opens without them.</p>}
    </section>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
