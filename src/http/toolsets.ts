/** Which tools a connection of the tool server lists, chosen by its address or a header. */
import type { Operation } from '#core/operation.ts'
import { Refusal } from '#lib/errors.ts'
import { decode, fromText, queryPairs } from './query.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** For one agent at work on one change. */
export const CORE = words(`
  whoami search get_repo list_issues get_issue add_comment create_pull get_pull get_pull_changes get_pull_checks mark_pull_ready
  review_pull merge_pull close_pull append_session get_session get_file get_tree`)

/**
 * Listed when nothing is chosen: the tools that the interface names, and the core. Clients commonly
 * allow 128.
 */
const INTERFACE = words(`
  accept_repo_invitation add_collaborator add_comment add_email append_session apply_plan archive_repo assign_issue close_issue close_pull
  connect_integration create_invite create_issue create_pull create_repo create_webhook create_workspace decline_repo_invitation delete_repo
  delete_webhook delete_workspace get_archive_link get_collaborator_permission get_entity get_issue get_merge_queue get_model_routes get_plan
  get_pull get_pull_changes get_release get_repo get_repo_settings get_ruleset get_session get_workspace invite_member link_package
  list_code_scanning_analyses list_collaborators list_deleted_repos list_emails list_events list_integrations list_invites list_issues list_labels
  list_my_repo_invitations list_outside_collaborators list_pulls list_repo_invitations list_repos list_secret_locations
  list_vulnerability_reports list_webhook_deliveries list_webhooks list_workspace_invites lookup_ticket mark_pull_ready merge_pull
  move_mirror_to_service ping_webhook plan_work purge_repo recall redeliver_webhook remember remove_collaborator remove_email rename_branch
  rename_repo reopen_issue rerun_failed_jobs rerun_workflow_run restore_repo review_pull revoke_invite revoke_repo_invitation
  revoke_workspace_invite search search_context set_base_permission set_model_routes set_repo_visibility set_review_assignment set_variable
  take_over_mirror transfer_repo unarchive_repo update_collaborator update_email_settings update_issue update_repo update_repo_settings
  update_variable update_webhook update_workspace whoami`)

const USUAL: ReadonlySet<string> = new Set([...INTERFACE, ...CORE])

const SETS = words(
  'core code issues pulls workflows packages releases security mirrors teams access admin all',
)

export type Selection = {
  /** Names of sets; null for the usual tools. */
  readonly sets: ReadonlySet<string> | null
  readonly tools: ReadonlySet<string>
  readonly exclude: ReadonlySet<string>
  /** Only what changes nothing, whatever else is chosen. */
  readonly readonly: boolean
  /** Whether find_tools and call_tool are listed. */
  readonly discover: boolean
  readonly outputs: boolean
  readonly key: string
}

const bad = (message: string) => new Refusal('bad_request', message)

const list = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

/**
 * Reads `/mcp/x/<set>/readonly`, the query and `X-MCP-Toolsets`. Gives 400 for a set that does not
 * exist.
 */
export function selectionOf(
  path: string,
  query: string,
  header: string | null,
  operations: readonly Operation[],
): Selection {
  const sets: string[] = header === null ? [] : list(header)
  const tools: string[] = []
  const exclude: string[] = []
  let readonly = false
  let discover = false
  let outputs = false
  const [x, set, mode, ...more] = path.replace(/^\/mcp\/?|\/$/g, '').split('/')
  if (x !== undefined && x !== '') {
    if (x !== 'x' || !set || (mode !== undefined && mode !== 'readonly') || more.length > 0)
      throw new Refusal(
        'not_found',
        'the tool server is at /mcp, /mcp/x/<set> and /mcp/x/<set>/readonly',
      )
    sets.push(decode(set))
    readonly = mode === 'readonly'
  }
  for (const [name, value] of queryPairs(query)) {
    if (name === 'toolsets') sets.push(...list(value))
    else if (name === 'tools') tools.push(...list(value))
    else if (name === 'exclude') exclude.push(...list(value))
    else if (name === 'readonly') readonly ||= fromText('boolean', value) === true
    else if (name === 'discover') discover ||= fromText('boolean', value) === true
    else if (name === 'schemas') outputs ||= value === 'output'
  }
  const known = new Set([...SETS, ...operations.map(({ toolset }) => toolset)])
  const unknown = sets.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw bad(
      `there is no toolset ${JSON.stringify(unknown.slice(0, 60))}; there are ${[...known].sort().join(', ')}`,
    )
  const names = [...new Set(sets)].sort()
  return {
    sets: names.length > 0 ? new Set(names) : tools.length > 0 ? new Set() : null,
    tools: new Set(tools),
    exclude: new Set(exclude),
    readonly,
    discover: discover || names.includes('core'),
    outputs,
    key: JSON.stringify([
      names,
      [...tools].sort(),
      [...exclude].sort(),
      readonly,
      discover,
      outputs,
    ]),
  }
}

/** Whether a tool changes nothing. */
export const onlyReads = (operation: Operation): boolean =>
  operation.routes.length > 0
    ? operation.routes.every((route) => route.startsWith('GET '))
    : !operation.access.writes

/** Whether a connection may use a tool at all; a set narrows only what is listed. */
export const isAllowed = (selection: Selection, operation: Operation): boolean =>
  operation.tool &&
  !selection.exclude.has(operation.name) &&
  (!selection.readonly || onlyReads(operation))

export function isListed(selection: Selection, operation: Operation): boolean {
  if (!isAllowed(selection, operation)) return false
  const { sets, tools } = selection
  if (sets === null) return USUAL.has(operation.name)
  if (tools.has(operation.name) || sets.has('all')) return true
  return (
    (sets.has('core') && CORE.includes(operation.name)) ||
    (operation.toolset !== 'core' && sets.has(operation.toolset))
  )
}
