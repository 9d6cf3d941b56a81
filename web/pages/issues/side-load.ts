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
import { htmlBytes } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { choicesWithin, findChoices, noChoices, type Choices } from '../choices.ts'

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
  return {
    milestones: choicesWithin(
      milestones,
      MAX_MILESTONES_BYTES,
      ({ title }) => OPTION_BYTES + htmlBytes(title),
    ),
    people,
  }
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

/** What the panel has of the chips of labels. */
export const MAX_CHIPS_BYTES = 5_000

/** With more labels the picker has their names without colours. */
export const MAX_COLOURED_LABELS = 30

/** The markup of an option and of the chip of a label. */
const OPTION_BYTES = 460
const CHIP_BYTES = 350
/** What a picker without colours has, beside the names of the labels. */
const PLAIN_PICKER_BYTES = 9_000
/**
 * What the picker of milestones has of their titles: all of the first twelve, where these are of a
 * usual length.
 */
const MAX_MILESTONES_BYTES = 6_000

/** The HTML beside a conversation, as estimated: pickers with their options, and other texts. */
export function bytesBeside(
  { labels, ...choices }: SideChoices,
  texts: readonly string[] = [],
): number {
  const known = [...labels.known.values()]
  const isPlain = known.length > MAX_COLOURED_LABELS
  const ofLabels = known.reduce(
    (sum, { name, description }) =>
      sum +
      (isPlain
        ? htmlBytes(name)
        : 2 * htmlBytes(name) + OPTION_BYTES + htmlBytes(description ?? '')),
    Math.min(MAX_CHIPS_BYTES, CHIP_BYTES * known.length) + (isPlain ? PLAIN_PICKER_BYTES : 0),
  )
  const others: readonly (Choices<object> | undefined)[] = Object.values(choices)
  const ofOthers = others
    .flatMap((one) => one?.items ?? [])
    .map((item) => ('title' in item ? String(item.title) : ''))
    .reduce((sum, title) => sum + OPTION_BYTES + 2 * htmlBytes(title), 0)
  return texts.reduce((sum, text) => sum + htmlBytes(text), ofLabels + ofOthers)
}

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
