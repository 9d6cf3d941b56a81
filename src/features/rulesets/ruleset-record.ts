/**
 * The owner of a ruleset (a workspace or one repository), its look-up for a caller, and its record.
 */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { RepoPath, Type, WorkspaceSlug } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { fullName, repoById } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { conflict, invalid, notFound } from '#lib/errors.ts'
import { oneLine } from '#lib/one-line.ts'
import { isTypeId } from '#core/ids.ts'
import type { OwnerGrants } from '#core/owner.ts'
import { bypassRecord, readBypass, requireTeamId, teamPathOf } from './bypass.ts'
import { readConditions } from './conditions.ts'
import { rulesetChanged } from './events.ts'
import { rulesetUrl } from './applicable-rules.ts'
import { readRule } from './read-rule.ts'
import type { Rule } from './rule-parameters.ts'
import type { NewBypass, NewConditions, NewRules, Ruleset } from './schema.ts'
import { findRuleset, findRulesetByName, type OwnerColumns, type RulesetRow } from './store.ts'

export const ownerInput = { workspace: Type.Optional(WorkspaceSlug), repo: Type.Optional(RepoPath) }
export const RulesetId = Type.String({ maxLength: 100, description: 'The id of a ruleset.' })
export const RulesetName = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'One line, cut at 100 characters; no other of the same place has it.',
})

const MAX_NAME_LENGTH = 100
export const MAX_RULESETS = 100

export type RulesetOwner = {
  readonly level: Ruleset['level']
  readonly columns: OwnerColumns
  readonly workspace: { readonly id: string; readonly slug: string }
  readonly display_name: string
  readonly id: string
}

/** Throws 404 for the fork of a pull request, which obeys the rules of its repository. */
export function ownerOf({ repo, workspace }: OwnerGrants): RulesetOwner {
  if (workspace)
    return {
      level: 'workspace',
      columns: { workspace_id: workspace.id, repo_id: null },
      workspace,
      display_name: workspace.slug,
      id: workspace.id,
    }
  if (!repo || repo.parent_id !== null) throw notFound(`the repository ${repo?.full_name ?? ''}`)
  return {
    level: 'repository',
    columns: { workspace_id: null, repo_id: repo.id },
    workspace: { id: repo.workspace_id, slug: repo.workspace },
    display_name: repo.full_name,
    id: repo.id,
  }
}

/** Finds a ruleset; throws 404 for one of another owner. */
export function requireRuleset(db: Db, { columns: owner }: RulesetOwner, id: string): RulesetRow {
  const row = isTypeId(id, 'rs') ? findRuleset(db, id) : null
  if (!row || row.workspace_id !== owner.workspace_id || row.repo_id !== owner.repo_id)
    throw notFound(`the ruleset ${id.slice(0, 60)}`)
  return row
}

export const subjectOf = ({ workspace, columns: owner }: RulesetOwner) => ({
  workspace_id: workspace.id,
  repo_id: owner.repo_id,
})

/** Parameters with names of teams in place of ids. */
export function publicParameters(db: Db, { type, parameters }: Rule): Record<string, unknown> {
  const named = (values: readonly string[]): string[] =>
    values.map((value) => (isTypeId(value, 'team') ? teamPathOf(db, value) : value))
  if (type === 'merge_window') return { ...parameters, exceptions: named(parameters.exceptions) }
  if (type === 'human_approval') return { ...parameters, from: named(parameters.from) }
  return { ...parameters }
}

export function rulesetRecord(hearth: Hearth, row: RulesetRow): Ruleset {
  const { db } = hearth
  const repo = row.repo_id === null ? null : repoById(db, row.repo_id)
  return {
    id: row.id,
    level: row.repo_id === null ? 'workspace' : 'repository',
    workspace: workspaceById(db, row.workspace_id ?? repo?.workspace_id ?? '')?.slug ?? 'ghost',
    ...(row.repo_id === null ? {} : { repository: fullName(db, row.repo_id) }),
    name: row.name,
    enforcement: row.enforcement,
    target: row.target,
    conditions: row.conditions,
    bypass_actors: row.bypass_actors.map((one) => bypassRecord(hearth, one)),
    rules: row.rules.map((rule) => ({
      type: rule.type,
      parameters: publicParameters(db, rule),
      applies_to: rule.applies_to,
    })),
    html_url: rulesetUrl(hearth, row),
    created_by: actorOf(hearth, row.created_by),
    created_at: row.created_at,
    updated_by: actorOf(hearth, row.updated_by),
    updated_at: row.updated_at,
  }
}

export type RulesetChanges = {
  name?: string
  enforcement?: RulesetRow['enforcement']
  target?: RulesetRow['target']
  conditions?: NewConditions
  bypass_actors?: NewBypass
  rules?: NewRules
}

type RulesetContent = Pick<
  RulesetRow,
  'name' | 'enforcement' | 'target' | 'conditions' | 'bypass_actors' | 'rules'
>

/**
 * The content of a ruleset after an input; parts that are left out stay, or get their default.
 * Throws 422 at the faulty input.
 */
export function contentOf(
  db: Db,
  owner: RulesetOwner,
  input: RulesetChanges,
  before: RulesetContent | null,
): RulesetContent {
  const name = input.name === undefined ? before?.name : oneLine(input.name, MAX_NAME_LENGTH)
  if (name === undefined || name === '')
    throw invalid('name', 'name must have at least one visible character')
  const target = input.target ?? before?.target ?? 'branch'
  const team = (text: string, field: string): string =>
    requireTeamId(db, owner.workspace, text, field)
  const given =
    input.rules ??
    (before && target !== before.target
      ? before.rules.map((rule) => ({
          type: rule.type,
          parameters: publicParameters(db, rule),
          applies_to: rule.applies_to,
        }))
      : undefined)
  return {
    name,
    enforcement: input.enforcement ?? before?.enforcement ?? 'active',
    target,
    conditions:
      input.conditions === undefined && before
        ? before.conditions
        : readConditions(input.conditions ?? {}, target, owner.level, before?.conditions),
    bypass_actors:
      input.bypass_actors === undefined
        ? (before?.bypass_actors ?? [])
        : readBypass(db, owner.workspace, input.bypass_actors),
    rules:
      given === undefined
        ? (before?.rules ?? [])
        : given.map((rule, index) => readRule(rule, `rules[${index}]`, target, team)),
  }
}

/** Throws 409 `already_exists` when another ruleset of the same owner has the name. */
export function requireFreeName(
  db: Db,
  owner: RulesetOwner,
  name: string,
  own: string | null,
): void {
  const other = findRulesetByName(db, owner.columns, name)
  if (other && other.id !== own)
    throw conflict('already_exists', `${owner.display_name} has a ruleset called ${name} already`, {
      ruleset: other.id,
    })
}

/** Appends the event and the audit entry of a change. */
export function recordChange(
  tx: Tx,
  owner: RulesetOwner,
  action: 'created' | 'updated' | 'deleted',
  row: RulesetRow,
  data: { before?: unknown; after?: unknown },
): void {
  tx.append(rulesetChanged, subjectOf(owner), {
    ruleset: row.id,
    name: row.name,
    level: owner.level,
    action,
    enforcement: row.enforcement,
  })
  tx.audit({
    action: `ruleset.${action}`,
    target: { kind: 'ruleset', id: row.id, name: row.name },
    ...subjectOf(owner),
    data,
  })
}

/** The audited fields of a ruleset. */
export function auditedFields(hearth: Hearth, row: RulesetRow): Record<string, unknown> {
  const { name, enforcement, target, conditions, bypass_actors, rules } = rulesetRecord(hearth, row)
  return { name, enforcement, target, conditions, bypass_actors, rules }
}
