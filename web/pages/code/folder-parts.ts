// Folders with many entries come in parts: each has as many entries as fit into a budget of HTML. The
// parts follow from names alone, so that commits which are found later change none. `?from=` names
// the part with an entry by its number.
import type { TreeEntry } from '#features/repos/index.ts'
import { encodePath } from '#lib/percent-encoding.ts'
import { markBidiControls } from '../../components/bidi-controls.tsx'

/** The HTML of the rows of one part. The rest of the page has up to 38 KB where names are long. */
const MAX_PART_BYTES = 60_000
/** What a row has beside names and titles: its elements, a date and the id of a commit. */
const ROW_BYTES = 290
/** What the title of a commit takes on average, and its longest length. */
const TITLE_BYTES = 60
const MAX_TITLE_LENGTH = 100

/** The entries `from` to `to` of a folder, which are numbered from 1, of `total`. */
export interface FolderPart {
  readonly entries: readonly TreeEntry[]
  readonly from: number
  readonly to: number
  readonly total: number
  /** About how large their rows are. */
  readonly bytes: number
}

const isFolder = ({ type }: TreeEntry): boolean => type === 'dir' || type === 'submodule'

const htmlBytes = (text: string): number => Buffer.byteLength(Bun.escapeHTML(text.toWellFormed()))

/** The bytes of the link to an entry: its name, and the last part of its address. */
export const entryLinkBytes = (name: string): number =>
  /^[\w.-]*$/.test(name)
    ? 2 * name.length
    : encodePath(name).length + Buffer.byteLength(markBidiControls(Bun.escapeHTML(name)))

const cutTitle = (title: string, length: number): string =>
  title.length <= length ? title : `${title.slice(0, length).toWellFormed()}…`

/** The same entries with titles that are so short that all of them fit. */
function fitTitles(entries: readonly TreeEntry[]): TreeEntry[] {
  let length = MAX_TITLE_LENGTH
  const bytes = () =>
    entries.reduce(
      (sum, { last_commit }) => sum + htmlBytes(cutTitle(last_commit?.title ?? '', length)),
      0,
    )
  while (length > 1 && bytes() > entries.length * TITLE_BYTES) length = Math.trunc(length * 0.8)
  return entries.map((entry) =>
    entry.last_commit
      ? {
          ...entry,
          last_commit: {
            ...entry.last_commit,
            title: cutTitle(entry.last_commit.title, length),
          },
        }
      : entry,
  )
}

/**
 * The part of a folder that has an entry, or its last one. Subfolders come first. `prefix` is the
 * address of the folder; the links of submodules lead elsewhere.
 */
export function partOfFolder(
  entries: readonly TreeEntry[],
  prefix: string,
  submodules: ReadonlyMap<string, string>,
  entry: number,
): FolderPart {
  const sorted = [...entries].sort((a, b) => Number(isFolder(b)) - Number(isFolder(a)))
  const wanted = Math.min(entry, sorted.length)
  let from = 1
  let to = 0
  let planned = 0
  for (const { name, path } of sorted) {
    const address = submodules.get(path) ?? prefix
    const bytes = ROW_BYTES + TITLE_BYTES + address.length + entryLinkBytes(name)
    if (to >= from && planned + bytes > MAX_PART_BYTES) {
      if (to >= wanted) break
      from = to + 1
      planned = 0
    }
    to++
    planned += bytes
  }
  return {
    entries: fitTitles(sorted.slice(from - 1, to)),
    from,
    to,
    total: sorted.length,
    bytes: planned,
  }
}
