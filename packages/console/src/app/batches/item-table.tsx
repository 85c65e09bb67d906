import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { playgroundLink } from "../playground/form-link.ts";
import { Notes } from "../rendering/notes.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import type { ItemView } from "./batch-source.ts";
import { ItemBadge } from "./states.tsx";

export function ItemTable({ items }: { readonly items: readonly ItemView[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="items">
      <h2 id="items" class="panel-title">
        Items
      </h2>
      <Table
        caption="Items"
        rows={items}
        rowKey={({ id }) => id}
        columns={[
          { label: "Rendering", cell: (item) => <Thumbnail key={item.rendering} item={item} /> },
          { label: "Page", cell: (item) => <Page item={item} />, isWide: true },
          { label: "Status", cell: (item) => <ItemBadge item={item} /> },
          { label: "Page status", cell: ({ target_status }) => target_status ?? "–", isNumber: true },
          { label: "Credits", cell: ({ credit_cost }) => credit_cost ?? "–", isNumber: true },
          { label: "Cached until", cell: ({ expires_at }) => <Time at={expires_at} /> },
        ]}
      />
    </section>
  );
}

function Page({ item: { url, error, notes, parameters } }: { readonly item: ItemView }): JSX.Element {
  return (
    <div class="item-page">
      <p class="with-copy">
        <LongText text={url} max={56} /> <CopyButton text={url} what="URL" />
      </p>
      {error !== null && <p class="muted any-text">{error.message}</p>}
      {notes.length > 0 && <Notes notes={notes} />}
      {parameters !== null && <a href={playgroundLink(parameters)}>Open in the playground</a>}
    </div>
  );
}

/** Shows a cached image; an icon for a PDF, or if the rendering is unavailable. */
function Thumbnail({ item: { rendering, mode, url } }: { readonly item: ItemView }): JSX.Element {
  const [isGone, setGone] = useState(false);
  if (rendering === null || isGone)
    return (
      <span class="thumbnail">
        <Icon name={mode === "pdf" ? "file" : "image"} />
        <span class="visually-hidden">Not available</span>
      </span>
    );
  return (
    <a class="thumbnail" href={rendering} target="_blank" rel="noreferrer">
      {mode === "pdf" ? (
        <>
          <Icon name="file" />
          <span class="visually-hidden">PDF of {url}</span>
        </>
      ) : (
        <img src={rendering} alt={`Rendering of ${url}`} loading="lazy" onError={() => setGone(true)} />
      )}
    </a>
  );
}
