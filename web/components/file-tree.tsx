// The folders above a file and what is beside it, with a link for each.
import type { Html } from '../jsx/html.ts'
import { UntrustedName } from './bidi-controls.tsx'
import { rich, t } from '../text.ts'

export type TreeFolder = {
  readonly path: string
  readonly entries: readonly { readonly name: string; readonly folder: boolean }[]
  /** How many entries are left out. */
  readonly more: number
}

type FileTreeProps = {
  /** The root and each folder on the way to the current path. */
  readonly folders: readonly TreeFolder[]
  readonly current: string
  readonly folderHref: (path: string) => string
  readonly fileHref: (path: string) => string
}

const Level = ({ at, ...props }: FileTreeProps & { at: number }): Html | null => {
  const { folders, current, folderHref, fileHref } = props
  const folder = folders[at]
  if (!folder) return null
  const next = folders[at + 1]?.path
  return (
    <ul>
      {folder.entries.map(({ name, folder: isFolder }) => {
        const path = folder.path === '' ? name : `${folder.path}/${name}`
        return (
          <li>
            <a
              class={isFolder ? (path === next ? 'folder open' : 'folder') : undefined}
              href={isFolder ? folderHref(path) : fileHref(path)}
              aria-current={path === current ? 'page' : undefined}
            >
              <UntrustedName>{name}</UntrustedName>
            </a>
            {path === next && <Level {...props} at={at + 1} />}
          </li>
        )
      })}
      {folder.more > 0 && (
        <li>
          <a href={folderHref(folder.path)}>{rich('{more} more', { more: folder.more })}</a>
        </li>
      )}
    </ul>
  )
}

export const FileTree = (props: FileTreeProps) => (
  <nav class="file-tree" aria-label={t('Files')}>
    <a class="skip" href="#code-content">
      {t('Skip file tree')}
    </a>
    <Level {...props} at={0} />
  </nav>
)
