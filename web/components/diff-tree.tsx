// The changed files as a tree of directories. A directory with a single subdirectory shares its
// line.
import type { Child } from '../jsx/html.ts'
import { Icon } from './icon.tsx'
import type { DiffFile } from './diff-view.tsx'
import { Stat } from './rows.tsx'
import { fileStatusStyle } from './diff-status.ts'

export type TreeFile = Pick<DiffFile, 'path' | 'status' | 'additions' | 'deletions'> & {
  viewed?: boolean
}

type Folder = { folders: Map<string, Folder>; files: TreeFile[] }

const empty = (): Folder => ({ folders: new Map(), files: [] })

function treeOf(files: readonly TreeFile[]): Folder {
  const root = empty()
  for (const file of files) {
    let folder = root
    for (const part of file.path.split('/').slice(0, -1)) {
      const next = folder.folders.get(part) ?? empty()
      folder.folders.set(part, next)
      folder = next
    }
    folder.files.push(file)
  }
  return root
}

const FileLine = ({ file, href }: { file: TreeFile; href: string }) => {
  const style = fileStatusStyle(file.status)
  return (
    <li class={file.viewed ? 'viewed' : undefined}>
      <span class={`tone-${style.tone}`}>
        <Icon name={style.icon} label={style.word} />
      </span>
      <a class="mono" href={href}>
        {file.path.slice(file.path.lastIndexOf('/') + 1)}
      </a>
      {file.viewed && <Icon name="check" label="Viewed" />}
      <Stat additions={file.additions} deletions={file.deletions} />
    </li>
  )
}

const inFolder = (folder: Folder, hrefOf: (file: TreeFile) => string): Child => (
  <>
    {[...folder.folders].map(([name, inner]) => {
      let [label, shown] = [name, inner]
      while (shown.files.length === 0 && shown.folders.size === 1) {
        const [only] = shown.folders
        if (!only) break
        label = `${label}/${only[0]}`
        shown = only[1]
      }
      return (
        <li class="diff-folder">
          <details open>
            <summary>
              <Icon name="chevron-right" class="fold" /> <Icon name="folder" />{' '}
              <span class="mono">{label}</span>
            </summary>
            <ul>{inFolder(shown, hrefOf)}</ul>
          </details>
        </li>
      )
    })}
    {folder.files.map((file) => (
      <FileLine file={file} href={hrefOf(file)} />
    ))}
  </>
)

/** `hrefOf` returns the address of the changes of a file. */
export const DiffTree = ({
  files,
  hrefOf,
}: {
  files: readonly TreeFile[]
  hrefOf: (file: TreeFile) => string
}) => (
  <ul class="diff-list" aria-label="Changed files">
    {inFolder(treeOf(files), hrefOf)}
  </ul>
)
