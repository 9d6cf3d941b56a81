// What can be done with the branches of a pull request: bring the base in, merge by itself, take it
// back.
import type { PullDetail } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { ActionButton, Button, FormError } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { visitForForm, formError } from '../shell.tsx'

const refusedAt = (visit: Visit, path: string): string | null =>
  formError(visitForForm(visit, path))

/** Whether the visitor may push to the head: the forge asks again when they do. */
const mayPush = (data: PullDetail, repo: Repo, visit: Visit): boolean =>
  visit.viewer !== null &&
  !repo.archived &&
  (data.fork === null
    ? repo.permissions.write
    : [data.author.id, data.author.on_behalf_of?.id].includes(visit.viewer.id))

/** For one that is behind its base. */
export const UpdateBranch = ({
  data,
  repo,
  visit,
}: {
  data: PullDetail
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
      <div class="actions" role="group" aria-label={`Bring ${data.base.ref} in`}>
        <ActionButton action={action} csrf={visit.csrf} values={{ ...values, method: 'merge' }}>
          <Button small icon="refresh" disabled={data.behind.conflicts === true}>
            Merge {data.base.ref} in
          </Button>
        </ActionButton>
        <ActionButton action={action} csrf={visit.csrf} values={{ ...values, method: 'rebase' }}>
          <Button small disabled={data.behind.conflicts === true}>
            Rebase onto it
          </Button>
        </ActionButton>
      </div>
    </>
  )
}

/** The switch; who turns it on lends their rights to the merge. */
export const AutoMerge = ({
  data,
  repo,
  visit,
}: {
  data: PullDetail
  repo: Repo
  visit: Visit
}) => {
  if (data.status !== 'open' && data.status !== 'draft') return null
  const action = `${pullPath(repo.full_name, data.number)}/auto-merge`
  const refused = refusedAt(visit, action)
  if (!repo.permissions.write || visit.viewer === null || repo.archived)
    return data.auto_merge ? (
      <p class="muted">This merges by itself as soon as nothing stands in its way.</p>
    ) : null
  return (
    <>
      {refused !== null && <FormError>{refused}</FormError>}
      {data.auto_merge && (
        <p class="muted">This merges by itself as soon as nothing stands in its way.</p>
      )}
      <ActionButton
        action={action}
        csrf={visit.csrf}
        values={{ on: data.auto_merge ? 'no' : 'yes' }}
      >
        <Button small icon={data.auto_merge ? 'stop' : 'merge'}>
          {data.auto_merge ? 'Do not merge by itself' : 'Merge by itself when ready'}
        </Button>
      </ActionButton>
    </>
  )
}

/** For a merged one. */
export const RevertButton = ({
  data,
  repo,
  visit,
}: {
  data: PullDetail
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
          Take it back
        </Button>
      </ActionButton>
    </>
  )
}
