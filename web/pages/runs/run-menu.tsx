// Starts a workflow from the list of runs. One that asks for inputs has its form on its own page.
import type { Repo } from '#features/repos/index.ts'
import { declaredInputs, listWorkflows, type Workflow } from '#features/workflows/index.ts'
import { CsrfField, Icon, Menu, type MenuItem } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { workflowPath } from './paths.ts'

/** More workflows than a menu can show are started from their pages. */
const MAX_SHOWN = 20

/** Whether the visitor may start workflows. */
export const mayStart = ({ permissions, archived }: Repo): boolean => permissions.write && !archived

/** The workflows that the visitor can start by hand. */
export async function loadStartable(visit: Visit, repo: Repo): Promise<readonly Workflow[]> {
  if (!mayStart(repo)) return []
  const wanted = { event: 'workflow_dispatch', per_page: MAX_SHOWN }
  return (await visit.call(listWorkflows, { repo: repo.full_name, ...wanted })).items
}

const Start = ({ visit, repo, workflow }: { visit: Visit; repo: Repo; workflow: Workflow }) => (
  <form action={workflowPath(repo.full_name, workflow.id, '/dispatch')} method="post" data-once>
    <CsrfField csrf={visit.csrf} />
    <input type="hidden" name="ref" value={repo.default_branch} />
    <button type="submit" class="menu-button">
      <Icon name="play" />
      <span>
        {workflow.name}
        <span class="menu-hint">{t('On {branch}', { branch: repo.default_branch })}</span>
      </span>
    </button>
  </form>
)

export const RunMenu = ({
  visit,
  repo,
  workflows,
}: {
  visit: Visit
  repo: Repo
  workflows: readonly Workflow[]
}) => {
  if (workflows.length === 0) return null
  const items = workflows.map((workflow): MenuItem => {
    const inputs = declaredInputs(visit.hearth, repo.id, workflow.id)
    return inputs?.length === 0
      ? { label: workflow.name, form: <Start visit={visit} repo={repo} workflow={workflow} /> }
      : {
          label: workflow.name,
          icon: 'play',
          href: workflowPath(repo.full_name, workflow.id),
          hint: t('With inputs'),
        }
  })
  return <Menu label={t('Run workflow')} summary={t('Run workflow')} items={items} button />
}
