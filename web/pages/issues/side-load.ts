// The choices of the pickers of issues and pull requests, and the labels that are shown beside them.
import {
  findLabels,
  listAssignees,
  listLabels,
  listMilestones,
  type Assignee,
  type Label,
  type Milestone,
} from '#features/issues/index.ts'
import type { Repo } from '#features/repos/index.ts'
import { listProjects, type Project } from '#features/workspaces/index.ts'
import type { Visit } from '../../site.ts'
import { findChoices, noChoices, type Choices } from '../choices.ts'

/** What is typed may be longer than a name, or more than a repository can have. */
const MAX_LABEL_NAME = 50
const MAX_NAMES = 1000

/** `known` has the labels that the page shows, and the choices. */
export type LabelChoices = Choices<Label> & { readonly known: ReadonlyMap<string, Label> }

/**
 * The labels to choose from, for those who may choose, and those with the names that the page shows. A
 * search keeps what is typed.
 */
export async function loadLabels(
  visit: Visit,
  repo: string,
  names: Iterable<string>,
  mayChoose = true,
): Promise<LabelChoices> {
  const choices = mayChoose
    ? await findChoices(visit, 'labels', (page) => visit.call(listLabels, { repo, ...page }))
    : noChoices
  const known = new Map<string, Label>(choices.items.map((label) => [label.name, label]))
  const shown = new Set([...names, ...visit.form.values.list('labels', ',')])
  const others = [...shown]
    .filter((name) => !known.has(name) && name.length <= MAX_LABEL_NAME)
    .slice(0, MAX_NAMES)
  if (others.length > 0)
    for (const label of await visit.call(findLabels, { repo, names: others }))
      known.set(label.name, label)
  return { ...choices, known }
}

export type IssueChoices = {
  readonly milestones: Choices<Milestone>
  readonly people: Choices<Assignee>
}

const NO_ISSUE_CHOICES: IssueChoices = { milestones: noChoices, people: noChoices }

/** The milestones and people to choose from, for those who may choose. */
export async function loadIssueChoices(
  visit: Visit,
  repo: string,
  mayChoose = true,
): Promise<IssueChoices> {
  if (!mayChoose) return NO_ISSUE_CHOICES
  const [milestones, people] = await Promise.all([
    findChoices(visit, 'milestone', (page) => visit.call(listMilestones, { repo, ...page })),
    findChoices(visit, 'assignees', (page) => visit.call(listAssignees, { repo, ...page })),
  ])
  return { milestones, people }
}

export type SideChoices = IssueChoices & { readonly labels: LabelChoices }

/** The choices of a panel or form that has the labels with these names. */
export async function loadSideChoices(
  visit: Visit,
  repo: string,
  names: Iterable<string>,
  mayChoose: boolean,
): Promise<SideChoices> {
  const [labels, choices] = await Promise.all([
    loadLabels(visit, repo, names, mayChoose),
    loadIssueChoices(visit, repo, mayChoose),
  ])
  return { labels, ...choices }
}

/** How many options the pickers have, with the labels that the page shows. */
export const countOptions = ({ labels, ...choices }: SideChoices): number =>
  Object.values(choices).reduce((sum, one) => sum + (one?.items.length ?? 0), labels.known.size)

/** The choices as JSON has them, for a hash of what a page shows. */
export const stateOfChoices = ({
  labels: { known, ...labels },
  ...choices
}: SideChoices): unknown => ({
  ...choices,
  labels: { ...labels, known: [...known.values()] },
})

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
