import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatBytes, formatCount } from "../format.ts";
import { Loading } from "../ui/states.tsx";
import { EXTENSIONS } from "./safe-file.ts";

interface RenderingProps {
  readonly file: Blob;
  /** File name of the download, without an extension. */
  readonly name: string;
  readonly description: string;
}

/** An image or a PDF, with its size and a download link. */
export function Rendering({ file, name, description }: RenderingProps): JSX.Element {
  const url = useObjectUrl(file);
  const [size, setSize] = useState<string | null>(null);
  if (url === null) return <Loading what="the rendering" />;
  const isPdf = file.type === "application/pdf";
  return (
    <div class="rendering">
      {isPdf ? (
        <PdfPreview url={url} description={description} />
      ) : (
        <a href={url} target="_blank" rel="noreferrer" class="image">
          <img
            src={url}
            alt={description}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
              setSize(`${formatCount(width)} × ${formatCount(height)} px`)
            }
          />
        </a>
      )}
      <p class="rendering-foot">
        <span class="muted">
          {[EXTENSIONS[file.type]?.toUpperCase() ?? file.type, size, formatBytes(file.size)]
            .filter((part) => part !== null)
            .join(" · ")}
        </span>
        <a class="button small" href={url} download={`${name}.${EXTENSIONS[file.type] ?? "bin"}`}>
          Download
        </a>
      </p>
    </div>
  );
}

function PdfPreview({
  url,
  description,
}: {
  readonly url: string;
  readonly description: string;
}): JSX.Element {
  if (!navigator.pdfViewerEnabled)
    return <p class="state">This browser cannot display PDFs. Download the file instead.</p>;
  return <iframe class="pdf" src={url} title={description} />;
}

/** Returns a `blob:` URL for the file and revokes it when the file changes. */
function useObjectUrl(file: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const created = URL.createObjectURL(file);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return url;
}
