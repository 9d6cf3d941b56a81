// The forms about the branches of a pull request: update the branch, auto-merge, undo the merge.
import type { PullOverview } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { ActionButton, Button, FormError } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { visitForForm, formError } from '../shell.tsx'
import { t } from '../../text.ts'

const refusedAt = (visit: Visit, path: string): string | null =>
  formError(visitForForm(visit, path))

/** Whether to offer a push to the head. The operation checks the right again. */
export const mayPush = (data: PullOverview, repo: Repo, visit: Visit): boolean =>
  visit.viewer !== null &&
  !repo.archived &&
  (data.fork === null
    ? repo.permissions.write
    : [data.author.id, data.author.on_behalf_of?.id].includes(visit.viewer.id))

/** Shown when the base has commits that the branch lacks. */
export const UpdateBranch = ({
  data,
  repo,
  visit,
}: {
  data: PullOverview
  repo: Repo
  visit: Visit
}) => {
  const action = `${pullPath(repo.full_name, data.number)}/update`
  if (data.behind.by === 0 || data.head === null || !mayPush(data, repo, visit)) return null
  const refused = refusedAt(visit, action)
  const values = { expected_head: data.head.sha }
  return (
    <>
      {refused !== null && <FormError>{refused}</FormError>}
      <div class="actions" role="group" aria-label={t('Update branch')}>
        <ActionButton action={action} csrf={visit.csrf} values={{ ...values, method: 'merge' }}>
          <Button small icon="refresh" disabled={data.behind.conflicts === true}>
            {t('Update branch')}
          </Button>
        </ActionButton>
        <ActionButton action={action} csrf={visit.csrf} values={{ ...values, method: 'rebase' }}>
          <Button small disabled={data.behind.conflicts === true}>
            {t('Rebase')}
          </Button>
        </ActionButton>
      </div>
    </>
  )
}

const AutoMergeEnabled = ({ waitsForPerson }: { waitsForPerson: boolean }) => (
  <p class="muted">
    {t('Auto-merge is enabled: this merges once all requirements are met.')}
    {waitsForPerson && ` ${t('An agent made it, so it also waits for an approval by a person.')}`}
  </p>
)

/** Turns auto-merge on and off. The merge has the rights of whoever turned it on. */
export const AutoMerge = ({
  data,
  repo,
  visit,
  waitsForPerson,
}: {
  data: PullOverview
  repo: Repo
  visit: Visit
  waitsForPerson: boolean
}) => {
  if (data.status !== 'open' && data.status !== 'draft') return null
  const action = `${pullPath(repo.full_name, data.number)}/auto-merge`
  const refused = refusedAt(visit, action)
  if (!repo.permissions.write || visit.viewer === null || repo.archived)
    return data.auto_merge ? <AutoMergeEnabled waitsForPerson={waitsForPerson} /> : null
  return (
    <>
      {refused !== null && <FormError>{refused}</FormError>}
      {data.auto_merge && <AutoMergeEnabled waitsForPerson={waitsForPerson} />}
      <ActionButton
        action={action}
        csrf={visit.csrf}
        values={{ on: data.auto_merge ? 'no' : 'yes' }}
      >
        <Button small icon={data.auto_merge ? 'stop' : 'merge'}>
          {data.auto_merge ? t('Disable auto-merge') : t('Enable auto-merge')}
        </Button>
      </ActionButton>
    </>
  )
}

/** Opens a pull request that reverts a merged one. */
export const RevertButton = ({
  data,
  repo,
  visit,
}: {
  data: PullOverview
  repo: Repo
  visit: Visit
}) => {
  const action = `${pullPath(repo.full_name, data.number)}/revert`
  if (!repo.permissions.write || visit.viewer === null || repo.archived) return null
  const refused = refusedAt(visit, action)
  return (
    <>
      {refused !== null && <FormError>{refused}</FormError>}
      <ActionButton action={action} csrf={visit.csrf}>
        <Button small icon="history">
          {t('Revert')}
        </Button>
      </ActionButton>
    </>
  )
}
