/** Whether an event starts a workflow. */
import type { EventName, Trigger, Workflow } from './model.ts'
import { compilePatterns } from './patterns.ts'

/** What filters look at. */
export type TriggerEvent = {
  readonly name: EventName
  /** `opened`, `published`; null for events without. */
  readonly action: string | null
  /** The pushed branch, the base of a pull request, the head of a workflow run; null for tags. */
  readonly branch: string | null
  readonly tag: string | null
  /** The paths that changed; null when they are too many, or the event has none. */
  readonly changedPaths: readonly string[] | null
  /** The message of the head commit of a push or pull request. */
  readonly message: string | null
  /** Of `workflow_run`: the name of the workflow that ran. */
  readonly workflow: string | null
  /** Of `schedule`: the line that is due. */
  readonly cron: string | null
}

export type EventMatch = { readonly matches: boolean; readonly reason: string | null }

/** GitHub evaluates path filters on at most this many changed files. */
export const MAX_FILTERED_PATHS = 3_000

const DEFAULT_TYPES: Readonly<Partial<Record<EventName, readonly string[]>>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
  merge_group: ['checks_requested'],
}

const YES: EventMatch = { matches: true, reason: null }
const no = (reason: string): EventMatch => ({ matches: false, reason })

export function matchEvent(workflow: Workflow, event: TriggerEvent): EventMatch {
  const trigger = workflow.on[event.name]
  if (!trigger) return no(`it does not start on ${event.name}`)
  if (['push', 'pull_request'].includes(event.name) && asksToSkip(event.message ?? ''))
    return no('the commit message asks to skip workflows')
  const types = trigger.types ?? DEFAULT_TYPES[event.name] ?? null
  if (event.action !== null && types && !types.includes(event.action))
    return no(`its types do not name ${event.action}`)
  if (event.name === 'schedule' && !trigger.schedules.some(({ cron }) => cron === event.cron))
    return no('another schedule is due')
  if (event.workflow !== null && !matchesWorkflow(trigger, event.workflow))
    return no(`it does not follow the workflow ${event.workflow}`)
  return matchRefs(trigger, event) ?? matchPaths(trigger, event)
}

const matchesWorkflow = ({ workflows }: Trigger, name: string): boolean =>
  workflows === null || compilePatterns(workflows)(name) || workflows.includes(name)

/** Null when the filters of branches and tags let the event through. */
function matchRefs(trigger: Trigger, { branch, tag }: TriggerEvent): EventMatch | null {
  const { branches, branchesIgnore, tags, tagsIgnore } = trigger
  const namesBranches = branches ?? branchesIgnore
  const namesTags = tags ?? tagsIgnore
  if (branch !== null) {
    if (!namesBranches && namesTags) return no('it starts on tags only')
    if (!passes(branches, branchesIgnore, branch)) return no(`its branches leave out ${branch}`)
  }
  if (tag !== null) {
    if (!namesTags && namesBranches) return no('it starts on branches only')
    if (!passes(tags, tagsIgnore, tag)) return no(`its tags leave out ${tag}`)
  }
  return null
}

const passes = (
  wanted: readonly string[] | null,
  ignored: readonly string[] | null,
  name: string,
): boolean =>
  (wanted === null || compilePatterns(wanted)(name)) &&
  (ignored === null || !compilePatterns(ignored)(name))

function matchPaths({ paths, pathsIgnore }: Trigger, event: TriggerEvent): EventMatch {
  const { changedPaths, tag } = event
  if ((!paths && !pathsIgnore) || tag !== null) return YES
  if (changedPaths === null || changedPaths.length > MAX_FILTERED_PATHS)
    return {
      matches: true,
      reason: `more than ${MAX_FILTERED_PATHS} files changed, so its paths were not looked at`,
    }
  const isWanted = paths ? compilePatterns(paths) : () => true
  const isIgnored = pathsIgnore ? compilePatterns(pathsIgnore) : () => false
  return changedPaths.some((path) => isWanted(path) && !isIgnored(path))
    ? YES
    : no('no changed file matches its paths')
}

const SKIP_MARKS = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]']

/** Whether a commit message asks for no workflows, as GitHub reads it. */
export const asksToSkip = (message: string): boolean =>
  SKIP_MARKS.some((mark) => message.includes(mark)) ||
  /\n\nskip-checks: ?true\n*$/.test(message.slice(-200))
