import type { Child } from '../jsx/html.ts'
import { codePath, commitPath } from '../paths.ts'
import { Icon, type IconName } from './icon.tsx'
import { RelativeTime } from './time.tsx'
import { UntrustedName } from './bidi-controls.tsx'
import { localized, rich, t } from '../text.ts'

export interface TreeEntry {
  name: string
  path: string
  type: 'file' | 'dir' | 'symlink' | 'submodule' | (string & {})
  /** The object id. For a submodule the commit of the other repository. */
  sha?: string
  last_commit?: { sha: string; title: string; date: string } | null
}

const ENTRY_ICONS: Record<string, { icon: IconName; word: string }> = localized({
  dir: { icon: 'folder', word: 'Folder' },
  file: { icon: 'file', word: t('File') },
  symlink: { icon: 'symlink', word: 'Symbolic link' },
  submodule: { icon: 'submodule', word: 'Submodule' },
})

const Submodule = ({ entry, href }: { entry: TreeEntry; href: string | undefined }) => (
  <>
    {href === undefined ? (
      <span>
        <UntrustedName>{entry.name}</UntrustedName>
      </span>
    ) : (
      <a href={href} rel="nofollow noopener">
        <UntrustedName>{entry.name}</UntrustedName>
      </a>
    )}
    {entry.sha !== undefined && <span class="muted mono small"> @ {entry.sha.slice(0, 7)}</span>}
  </>
)

interface TreeTableProps {
  entries: readonly TreeEntry[]
  repo: string
  /** The ref in addresses. */
  rev: string
  up?: string | null
  head?: Child
  /** The addresses of submodules by path. */
  submodules?: ReadonlyMap<string, string>
  /** The address of the same page with the last commits, which take a while to find. */
  later?: string
  now?: number
}

const TreeRow = ({ table, entry }: { table: TreeTableProps; entry: TreeEntry }) => {
  const { icon, word } = ENTRY_ICONS[entry.type] ?? { icon: 'file' as const, word: t('File') }
  const commit = entry.last_commit
  const route = entry.type === 'dir' ? 'tree' : 'blob'
  return (
    <tr>
      <td class={['tree-name', entry.type === 'dir' && 'tree-dir']}>
        <Icon name={icon} label={word} />
        {entry.type === 'submodule' ? (
          <Submodule entry={entry} href={table.submodules?.get(entry.path)} />
        ) : (
          <a href={codePath(table.repo, route, table.rev, entry.path)}>
            <UntrustedName>{entry.name}</UntrustedName>
          </a>
        )}
      </td>
      <td class="tree-commit">
        {commit && <a href={commitPath(table.repo, commit.sha)}>{commit.title}</a>}
      </td>
      <td class="tree-when">{commit && <RelativeTime at={commit.date} now={table.now} />}</td>
    </tr>
  )
}

const TreeTableHead = () => (
  <thead>
    <tr>
      <th scope="col" class="tree-name">
        <span class="unseen">{t('Name')}</span>
      </th>
      <th scope="col" class="tree-commit">
        <span class="unseen">{t('Last commit')}</span>
      </th>
      <th scope="col" class="tree-when">
        <span class="unseen">{t('Changed')}</span>
      </th>
    </tr>
  </thead>
)

/**
 * The entries of a directory, subdirectories first. The commit that last changed an entry may be
 * missing and follow later. `up` is the address of the parent directory.
 */
export const TreeTable = (props: TreeTableProps) => {
  const sorted = [...props.entries].sort(
    (a, b) =>
      Number(b.type === 'dir' || b.type === 'submodule') -
      Number(a.type === 'dir' || a.type === 'submodule'),
  )
  return (
    <div class="list tree" id="tree" data-later={props.later}>
      {props.head !== undefined && <div class="list-head">{props.head}</div>}
      <table aria-label={t('Files')}>
        <TreeTableHead />
        <tbody>
          {props.up && (
            <tr>
              <td class="tree-name" colspan={3}>
                <a href={props.up} aria-label={t('Folder above')} rel="up">
                  <Icon name="arrow-up" /> ..
                </a>
              </td>
            </tr>
          )}
          {sorted.map((entry) => (
            <TreeRow table={props} entry={entry} />
          ))}
        </tbody>
      </table>
      {props.later !== undefined && (
        <p class="tree-later muted small" role="status">
          {rich('Finding the last commits of these. <a>Wait for them</a>', {
            a: (inner) => (
              <a href={props.later} rel="nofollow">
                {inner}
              </a>
            ),
          })}
        </p>
      )}
    </div>
  )
}
