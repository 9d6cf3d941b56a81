// The choices of the pickers in the side panels of issues and pull requests.
import { listAssignees, listLabels, listMilestones } from '#features/issues/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { listTeams } from '#features/teams/index.ts'
import { listProjects, type Project } from '#features/workspaces/index.ts'
import type { Visit } from '../../site.ts'

/**
 * Labels are always loaded, because their colours are shown. The others are for those who may
 * choose; teams are for members of the workspace, who see them.
 */
export async function loadSideChoices(
  visit: Visit,
  repo: Repo,
  { mayChoose, teams = false }: { mayChoose: boolean; teams?: boolean },
) {
  const at = { repo: repo.full_name, per_page: 100 }
  const [labels, milestones, people, visible] = await Promise.all([
    visit.call(listLabels, at),
    mayChoose ? visit.call(listMilestones, at) : null,
    mayChoose ? visit.call(listAssignees, at) : null,
    mayChoose && teams
      ? visit.tryCall(listTeams, { workspace: repo.workspace, per_page: 100 })
      : null,
  ])
  return {
    labels: labels.items,
    milestones: milestones?.items ?? [],
    people: people?.items ?? [],
    teams: (visible?.items ?? []).filter(({ visibility }) => visibility === 'visible'),
  }
}

export type SideChoices = Awaited<ReturnType<typeof loadSideChoices>>

const MAX_PROJECTS = 20

/** The projects of the workspace whose boards show the issues of a repository, for its members. */
export const loadProjects = async (visit: Visit, repo: Repo): Promise<readonly Project[]> =>
  visit.viewer === null
    ? []
    : ((
        await visit.tryCall(listProjects, {
          workspace: repo.workspace,
          repo: repo.full_name,
          per_page: MAX_PROJECTS,
        })
      )?.items ?? [])
