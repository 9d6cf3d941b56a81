// The agents at work in all repositories of a workspace.
import { getAgentOverview, stopAgent, stopAllAgents } from '#features/agents/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import { PageHead } from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import { action, page, redirectWithFlash } from '../../site.ts'
import { t } from '../../text.ts'
import { AgentOverview, loadOverview } from '../repos/agent-overview.tsx'
import { stoppedByHand } from '../repos/agents.tsx'
import { WorkspaceFrame } from './frame.tsx'

export const workspaceAgentsPage = page({
  path: '/:workspace/-/agents',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    return {
      workspace: await visit.call(getWorkspace, { workspace: slug }),
      overview: await loadOverview(visit, { workspace: slug }),
    }
  },
  view: ({ workspace, overview }, visit) => (
    <WorkspaceFrame
      visit={visit}
      workspace={workspace}
      title={t('Agents · {name}', { name: workspace.name })}
      current="agents"
    >
      <PageHead
        title={t('Agents')}
        lead={t('What agents do now in the repositories that you maintain.')}
      />
      <AgentOverview
        visit={visit}
        overview={overview}
        here={workspacePath(workspace.slug, 'agents')}
      />
    </WorkspaceFrame>
  ),
})

/** Stops one, of the repository that the row names. */
export const stopWorkspaceAgentForm = action({
  path: '/:workspace/-/agents/stop',
  page: workspaceAgentsPage,
  submit: async (visit, fields) => {
    await visit.call(stopAgent, { repo: fields.text('repo'), id: fields.text('id') })
    const here = workspacePath(visit.params.workspace ?? '', 'agents')
    return redirectWithFlash(visit, here, 'agent-stopped')
  },
})

/** Stops the agents of every repository in which one runs. */
export const stopWorkspaceAgentsForm = action({
  path: '/:workspace/-/agents/stop-all',
  page: workspaceAgentsPage,
  submit: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const { repos } = await visit.call(getAgentOverview, { workspace: slug })
    for (const repo of repos) await visit.call(stopAllAgents, { repo, reason: stoppedByHand() })
    return redirectWithFlash(visit, workspacePath(slug, 'agents'), 'agents-stopped')
  },
})
