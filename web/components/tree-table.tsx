import type { Child } from '../jsx/html.ts'
import { codePath, commitPath } from '../paths.ts'
import { Icon, type IconName } from './icon.tsx'
import { RelativeTime } from './time.tsx'
import { ForeignName } from './turns.tsx'

export interface TreeEntry {
  name: string
  path: string
  type: 'file' | 'dir' | 'symlink' | 'submodule' | (string & {})
  /** The object; for a submodule the commit of the other repository. */
  sha?: string
  last_commit?: { sha: string; title: string; date: string } | null
}

const looks: Record<string, { icon: IconName; word: string }> = {
  dir: { icon: 'folder', word: 'Folder' },
  file: { icon: 'file', word: 'File' },
  symlink: { icon: 'symlink', word: 'Symbolic link' },
  submodule: { icon: 'submodule', word: 'Submodule' },
}

const Submodule = ({ entry, href }: { entry: TreeEntry; href: string | undefined }) => (
  <>
    {href === undefined ? (
      <span>
        <ForeignName>{entry.name}</ForeignName>
      </span>
    ) : (
      <a href={href} rel="nofollow noopener">
        <ForeignName>{entry.name}</ForeignName>
      </a>
    )}
    {entry.sha !== undefined && <span class="muted mono small"> @ {entry.sha.slice(0, 7)}</span>}
  </>
)

/**
 * The entries of a folder: folders first, as they come. The commit that last touched each may be
 * missing and come later. `up` is the address of the folder above.
 */
export const TreeTable = (props: {
  entries: readonly TreeEntry[]
  repo: string
  /** The ref as addresses name it. */
  rev: string
  up?: string | null
  head?: Child
  /** Addresses of submodules by their paths. */
  submodules?: ReadonlyMap<string, string>
  /** Address of the same page with the last commits, which take a while to find. */
  later?: string
  now?: number
}) => {
  const sorted = [...props.entries].sort(
    (a, b) =>
      Number(b.type === 'dir' || b.type === 'submodule') -
      Number(a.type === 'dir' || a.type === 'submodule'),
  )
  return (
    <div class="list tree" id="tree" data-later={props.later}>
      {props.head !== undefined && <div class="list-head">{props.head}</div>}
      <table>
        <thead>
          <tr>
            <th scope="col" class="tree-name">
              <span class="unseen">Name</span>
            </th>
            <th scope="col" class="tree-commit">
              <span class="unseen">Last commit</span>
            </th>
            <th scope="col" class="tree-when">
              <span class="unseen">Changed</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.up && (
            <tr>
              <td class="tree-name" colspan={3}>
                <a href={props.up} aria-label="Folder above" rel="up">
                  <Icon name="arrow-up" /> ..
                </a>
              </td>
            </tr>
          )}
          {sorted.map((entry) => {
            const look = looks[entry.type] ?? { icon: 'file' as const, word: 'File' }
            return (
              <tr>
                <td class={['tree-name', entry.type === 'dir' && 'tree-dir']}>
                  <Icon name={look.icon} label={look.word} />
                  {entry.type === 'submodule' ? (
                    <Submodule entry={entry} href={props.submodules?.get(entry.path)} />
                  ) : (
                    <a
                      href={codePath(
                        props.repo,
                        entry.type === 'dir' ? 'tree' : 'blob',
                        props.rev,
                        entry.path,
                      )}
                    >
                      <ForeignName>{entry.name}</ForeignName>
                    </a>
                  )}
                </td>
                <td class="tree-commit">
                  {entry.last_commit && (
                    <a href={commitPath(props.repo, entry.last_commit.sha)}>
                      {entry.last_commit.title}
                    </a>
                  )}
                </td>
                <td class="tree-when">
                  {entry.last_commit && (
                    <RelativeTime at={entry.last_commit.date} now={props.now} />
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {props.later !== undefined && (
        <p class="tree-later muted small" role="status">
          Finding the last commits of these.{' '}
          <a href={props.later} rel="nofollow">
            Wait for them
          </a>
        </p>
      )}
    </div>
  )
}
