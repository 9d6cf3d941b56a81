// The branches of a pull request, and the lines that fetch, check out and push its head.
import type { Pull } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Button, Commands, CopyField, Dropdown, Icon } from '../../components/index.ts'
import { codePath } from '../../paths.ts'
import { t } from '../../text.ts'

const isActive = ({ status }: Pull): boolean => status === 'open' || status === 'draft'

/** The name of the branch that commits are pushed to. A new fork has none yet: that of the base. */
const branchOf = (pull: Pull): string => pull.branch ?? pull.head?.ref ?? pull.base.ref

/** An argument of a shell. Names of branches may have any sign but a few. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** `main ← branch`, with a button that copies the branch. */
export const Branches = ({ repo, pull }: { repo: Repo; pull: Pull }) => {
  const branch = branchOf(pull)
  const shown = pull.branch ?? `${pull.author.username}:${branch}`
  const place = pull.branch === null ? (pull.fork?.full_name ?? null) : repo.full_name
  const isThere = isActive(pull) && pull.head !== null && place !== null
  return (
    <>
      <bdi dir="ltr">
        <a href={codePath(repo.full_name, 'tree', pull.base.ref)}>
          <code>{pull.base.ref}</code>
        </a>{' '}
        ←{' '}
        {isThere ? (
          <a href={codePath(place, 'tree', branch)}>
            <code>{shown}</code>
          </a>
        ) : (
          <code>{shown}</code>
        )}
      </bdi>
      <Button copy={branch} icon="copy" label={t('Copy the branch name')} small variant="quiet" />
    </>
  )
}

/** The commands for somebody who has a clone of the repository. */
export function checkOutCommands(pull: Pull): { get: string; push: string } {
  const branch = shellWord(branchOf(pull))
  if (pull.fork === null)
    return {
      get: `git fetch origin ${branch}\ngit switch ${branch}`,
      push: `git push origin HEAD:${branch}`,
    }
  const remote = shellWord(pull.fork.remote)
  return {
    get:
      pull.head === null
        ? `git fetch origin ${shellWord(pull.base.ref)}\ngit switch -c pull-${pull.number} FETCH_HEAD`
        : `git fetch ${remote} ${branch}\ngit switch -c pull-${pull.number} FETCH_HEAD`,
    push: `git push ${remote} HEAD:${branch}`,
  }
}

/** The commands that merge the base into the head, for conflicts that git shows. */
export function mergeCommands(pull: Pull): string {
  const { get, push } = checkOutCommands(pull)
  const base = shellWord(pull.base.ref)
  return `${get}\ngit fetch origin ${base}\ngit merge FETCH_HEAD\n# resolve the conflicts, then:\ngit add --all\ngit commit\n${push}`
}

/** A panel with the address of the head and the commands to work on it. */
export const CheckOut = ({ repo, pull }: { repo: Repo; pull: Pull }) => {
  if (!isActive(pull) || repo.archived) return null
  const { get, push } = checkOutCommands(pull)
  return (
    <Dropdown
      label={t('Check out this pull request')}
      class="clone-menu"
      summary={
        <>
          <Icon name="branch" /> {t('Check out')}
        </>
      }
    >
      <CopyField
        label={pull.fork === null ? t('Repository') : t('Address of the fork')}
        id="head-remote"
        value={pull.fork?.remote ?? repo.clone_url}
      />
      <p class="small strong">{t('Fetch and check out')}</p>
      <Commands label={t('Copy the commands that check it out')}>{get}</Commands>
      <p class="small strong">{t('Push your commits to it')}</p>
      <Commands label={t('Copy the command that pushes')}>{push}</Commands>
    </Dropdown>
  )
}
