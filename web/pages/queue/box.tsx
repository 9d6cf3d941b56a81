// The place of a pull request in the merge queue, on its page.
import type { PullOverview } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { ActionButton, Button, Card, FormError, Icon } from '../../components/index.ts'
import { checkStateStyle } from '../../components/state.tsx'
import { pullPath, repoPath, withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { visitForForm, formError } from '../shell.tsx'
import { rich, t } from '../../text.ts'

/** The address of the queue of a branch. */
export const queuePath = (repo: Pick<Repo, 'full_name' | 'default_branch'>, base: string): string =>
  withQuery(repoPath(repo.full_name, '/queue'), {
    base: base === repo.default_branch ? undefined : base,
  })

export const QueuedBox = ({
  data,
  repo,
  visit,
}: {
  data: PullOverview
  repo: Repo
  visit: Visit
}) => {
  if (data.queue === null) return null
  const action = `${pullPath(repo.full_name, data.number)}/leave-queue`
  const refused = formError(visitForForm(visit, action))
  return (
    <Card
      title={
        <>
          <Icon name="queue" /> {t('In the merge queue')}
        </>
      }
    >
      {refused !== null && <FormError>{refused}</FormError>}
      <p>
        {rich('It is at position {position} of {a}: {label}. It lands by itself.', {
          position: data.queue.position,
          a: (
            <a href={queuePath(repo, data.base.ref)}>
              {rich('the queue for {ref}', { ref: <code>{data.base.ref}</code> })}
            </a>
          ),
          label: checkStateStyle(data.queue.state).label.toLowerCase(),
        })}
      </p>
      {visit.viewer !== null && !repo.archived && (
        <ActionButton action={action} csrf={visit.csrf}>
          <Button small icon="close">
            {t('Remove from queue')}
          </Button>
        </ActionButton>
      )}
    </Card>
  )
}
