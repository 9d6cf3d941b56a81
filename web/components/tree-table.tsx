import type { Child } from '../jsx/html.ts'
import { codePath, commitPath } from '../paths.ts'
import { Icon, IconDrawings, type IconName } from './icon.tsx'
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
  /** Which entries of a long folder these are, with links to the others. */
  parts?: Child
  now?: number
}

/** From this number of entries on, the icons of files share one drawing. */
const MIN_SHARING_ENTRIES = 20

/** A row is as small as it can be, because a page has more than a hundred. Files need no word. */
const TreeRow = ({
  table,
  entry,
  shared,
}: {
  table: TreeTableProps
  entry: TreeEntry
  shared: boolean
}) => {
  const { icon, word } = ENTRY_ICONS[entry.type] ?? { icon: 'file' as const, word: t('File') }
  const commit = entry.last_commit
  const route = entry.type === 'dir' ? 'tree' : 'blob'
  return (
    <tr>
      <td class={entry.type === 'dir' ? 'tree-dir' : undefined}>
        <Icon name={icon} {...(icon === 'file' ? { shared } : { label: word })} />
        {entry.type === 'submodule' ? (
          <Submodule entry={entry} href={table.submodules?.get(entry.path)} />
        ) : (
          <a href={codePath(table.repo, route, table.rev, entry.path)}>
            <UntrustedName>{entry.name}</UntrustedName>
          </a>
        )}
      </td>
      <td>{commit && <a href={commitPath(table.repo, commit.sha)}>{commit.title}</a>}</td>
      <td>{commit && <RelativeTime at={commit.date} now={table.now} />}</td>
    </tr>
  )
}

const TreeTableHead = () => (
  <thead>
    <tr>
      <th scope="col">
        <span class="unseen">{t('Name')}</span>
      </th>
      <th scope="col">
        <span class="unseen">{t('Last commit')}</span>
      </th>
      <th scope="col">
        <span class="unseen">{t('Changed')}</span>
      </th>
    </tr>
  </thead>
)

/**
 * The entries of a directory. The commit that last changed an entry may be missing and follow later.
 * `up` is the address of the parent directory.
 */
export const TreeTable = (props: TreeTableProps) => {
  const shared = props.entries.length >= MIN_SHARING_ENTRIES
  return (
    <div class="list tree" id="tree" data-later={props.later}>
      {shared && <IconDrawings names={['file']} />}
      {props.head !== undefined && <div class="list-head">{props.head}</div>}
      {props.parts && <p class="file-notice file-parts">{props.parts}</p>}
      <table aria-label={t('Files')}>
        <TreeTableHead />
        <tbody>
          {props.up && (
            <tr>
              <td colspan={3}>
                <a href={props.up} aria-label={t('Folder above')} rel="up">
                  <Icon name="arrow-up" /> ..
                </a>
              </td>
            </tr>
          )}
          {props.entries.map((entry) => (
            <TreeRow table={props} entry={entry} shared={shared} />
          ))}
        </tbody>
      </table>
      {props.parts && (
        <nav class="file-parts" aria-label={t('Parts of this folder')}>
          {props.parts}
        </nav>
      )}
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
