// What a merged pull request leaves behind for those who work on the repository next.
import { recall, type Memory } from '#features/memory/index.ts'
import type { PullOverview } from '#features/pulls/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { Notice } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { MemoryList } from './memory-list.tsx'
import { isRefused, NewMemoryForm } from './new-memory.tsx'

const MAX_SHOWN = 20

/** The memories of a merged pull request; null for those who may not decide about them. */
export async function loadPullMemories(
  visit: Visit,
  repo: Repo,
  data: PullOverview,
): Promise<readonly Memory[] | null> {
  const mayDecide = visit.viewer !== null && repo.permissions.write && !repo.archived
  if (data.status !== 'merged' || !mayDecide) return null
  const found = await visit.tryCall(recall, {
    repo: repo.full_name,
    pull: data.number,
    limit: MAX_SHOWN,
  })
  return found && [...found.project, ...found.workspace]
}

type Props = { visit: Visit; repo: Repo; number: number }

const RememberForm = ({ visit, repo, number }: Props) => (
  <details class="card more" open={isRefused(visit)}>
    <summary>{t('Remember something from this change')}</summary>
    <div class="card-body">
      <NewMemoryForm
        visit={visit}
        action={`${pullPath(repo.full_name, number)}/memory`}
        scope="project"
      />
    </div>
  </details>
)

/** What the agent remembered, to keep, edit or forget; and a form for what a person learned. */
export const PullMemories = ({
  memories,
  ...props
}: Props & { memories: readonly Memory[] | null }) => {
  if (memories === null) return null
  const isUndecided = memories.some(({ reviewed }) => !reviewed)
  return (
    <>
      {memories.length > 0 && (
        <>
          {isUndecided && (
            <Notice title={t('An agent learned something here')}>
              <p>
                {t(
                  'Keep what helps whoever works here next. Agents are given it with their tasks.',
                )}
              </p>
            </Notice>
          )}
          <MemoryList
            visit={props.visit}
            repo={props.repo}
            memories={memories}
            label={t('Memories from this change')}
            pull={props.number}
          />
        </>
      )}
      <RememberForm {...props} />
    </>
  )
}
