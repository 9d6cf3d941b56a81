// What the pages of one team share: its address, its title and its description.
import type { Team } from '#features/teams/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import { Badge, PageHead } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { teamPath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { WorkspaceFrame } from './frame.tsx'
import { t } from '../../text.ts'

/** The team that the address names. */
export const addressedTeam = (visit: Visit) => ({
  workspace: visit.params.workspace ?? '',
  team: visit.params.team ?? '',
})
export const pathOfTeam = (
  { workspace, slug }: Pick<Team, 'workspace' | 'slug'>,
  part = '',
): string => `${teamPath(workspace, slug)}${part}`
/** The path of the team that the address names. */
export const addressedPath = (visit: Visit, part = ''): string => {
  const { workspace, team } = addressedTeam(visit)
  return `${teamPath(workspace, team)}${part}`
}

export const TeamFrame = (props: {
  visit: Visit
  workspace: Workspace
  team: Team
  title: string
  actions?: Child
  children?: Child
}) => (
  <WorkspaceFrame
    visit={props.visit}
    workspace={props.workspace}
    title={props.title}
    current="teams"
  >
    <PageHead
      title={
        <>
          {props.team.name}{' '}
          {props.team.visibility === 'secret' && <Badge icon="lock">{t('Secret')}</Badge>}
        </>
      }
      lead={props.team.description || undefined}
      actions={props.actions}
    />
    {props.children}
  </WorkspaceFrame>
)
