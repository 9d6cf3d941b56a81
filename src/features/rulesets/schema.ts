/** Records and inputs of rulesets. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { AnyRule, NewRule, ruleWithRuleset } from './rule-parameters.ts'

export { RULE_TYPES, type RuleType } from './rule-parameters.ts'

export const ENFORCEMENTS = ['active', 'evaluate', 'disabled'] as const
export const TARGETS = ['branch', 'tag', 'push'] as const
export const BYPASS_KINDS = ['team', 'user', 'role', 'workspace_token'] as const
export const BYPASS_MODES = ['always', 'pull_request'] as const
export const BYPASS_ROLES = ['maintain', 'admin', 'owner'] as const
export const RESULTS = ['pass', 'fail', 'bypass'] as const
export type Enforcement = (typeof ENFORCEMENTS)[number]
export type Target = (typeof TARGETS)[number]
export type Result = (typeof RESULTS)[number]

const Patterns = (description: string) => Type.Array(Type.String(), { description })

export const Conditions = Type.Object({
  ref_name: Type.Object({
    include: Patterns(
      'Globs on short names, with *, ** and ?; ~DEFAULT_BRANCH and ~ALL. None of them: nothing.',
    ),
    exclude: Patterns('Names that are left out all the same.'),
  }),
  repository: Type.Optional(
    Type.Object(
      {
        include: Patterns('Globs on the names of repositories, or ~ALL.'),
        exclude: Patterns('Repositories that are left out all the same.'),
        visibility: OneOf(['any', 'public', 'private']),
        topics: Patterns('Only repositories with any of these topics; empty for all.'),
      },
      { description: 'For rulesets of a workspace only.' },
    ),
  ),
})
export type Conditions = Static<typeof Conditions>

export const BypassActor = Type.Object({
  kind: OneOf(BYPASS_KINDS),
  value: Type.String({
    description:
      'A team as <workspace>/<team>, a username, maintain, admin or owner, or the id of a token of the workspace.',
  }),
  mode: OneOf(BYPASS_MODES, {
    description: 'always, or only through the merge of a pull request.',
  }),
})
export type BypassActor = Static<typeof BypassActor>

export const Ruleset = Type.Object(
  {
    id: Id('rs'),
    level: OneOf(['workspace', 'repository']),
    workspace: Type.String(),
    repository: Type.Optional(
      Type.String({ description: 'The full name, at the level of a repository.' }),
    ),
    name: Type.String(),
    enforcement: OneOf(ENFORCEMENTS, {
      description: 'evaluate records what would have been refused and refuses nothing.',
    }),
    target: OneOf(TARGETS, {
      description:
        'What it is about: branches, tags, or everything that is pushed, to forks of pull requests too.',
    }),
    conditions: Conditions,
    bypass_actors: Type.Array(BypassActor, {
      description: 'Who may pass its rules. Agents never do.',
    }),
    rules: Type.Array(AnyRule),
    html_url: Type.String(),
    created_by: Nullable(Actor),
    created_at: Time,
    updated_by: Nullable(Actor),
    updated_at: Time,
  },
  { $id: 'Ruleset', description: 'Rules for what is pushed and merged.' },
)
export type Ruleset = Static<typeof Ruleset>
export const Rulesets = ListOf(Ruleset)

export const BranchRule = ruleWithRuleset(
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    level: OneOf(['workspace', 'repository']),
    enforcement: OneOf(ENFORCEMENTS),
    html_url: Type.String(),
  }),
  { $id: 'BranchRule', description: 'A rule that holds for a branch.' },
)
export type BranchRule = Static<typeof BranchRule>
export const BranchRules = ListOf(BranchRule)

export const RuleEvaluation = Type.Object(
  {
    id: Id('rse'),
    ruleset: Type.String({ description: 'The id of the ruleset, which may be gone.' }),
    ruleset_name: Type.String(),
    rule: Type.String({ description: 'The type of the rule.' }),
    ref: Type.String(),
    sha: Nullable(
      Type.String({ description: 'What the ref was to point at; null for a deletion.' }),
    ),
    pull: Nullable(
      Type.Integer({ description: 'The pull request that was to be merged; null for a push.' }),
    ),
    actor: Nullable(Actor),
    result: OneOf(RESULTS, {
      description: 'bypass: it stood against it, and the actor may pass it.',
    }),
    enforced: Type.Boolean({ description: 'Whether the ruleset was active.' }),
    message: Nullable(Type.String({ description: 'What was wrong.' })),
    time: Time,
  },
  {
    $id: 'RuleEvaluation',
    description: 'What came of holding one rule against a push or a merge.',
  },
)
export type RuleEvaluation = Static<typeof RuleEvaluation>
export const RuleEvaluations = ListOf(RuleEvaluation)

export const MAX_PATTERN_LENGTH = 255
const GivenPatterns = Type.Array(Type.String({ minLength: 1, maxLength: MAX_PATTERN_LENGTH }), {
  maxItems: 100,
})

/** The inputs that creating and updating a ruleset share. */
export const RulesetInput = {
  enforcement: OneOf(ENFORCEMENTS, { description: 'active unless given.' }),
  target: OneOf(TARGETS, { description: 'branch unless given.' }),
  conditions: Type.Object(
    {
      ref_name: Type.Optional(
        Nullable(
          Type.Object({
            include: Type.Optional(GivenPatterns),
            exclude: Type.Optional(GivenPatterns),
          }),
        ),
      ),
      repository: Type.Optional(
        Nullable(
          Type.Object({
            include: Type.Optional(GivenPatterns),
            exclude: Type.Optional(GivenPatterns),
            visibility: Type.Optional(OneOf(['any', 'public', 'private'])),
            topics: Type.Optional(GivenPatterns),
          }),
        ),
      ),
    },
    {
      description:
        'ref_name: include and exclude, globs with *, **, ?, or ~DEFAULT_BRANCH, ~ALL. repository (workspaces only): include, exclude, visibility, topics.',
    },
  ),
  bypass_actors: Type.Array(
    Type.Object({
      kind: OneOf(BYPASS_KINDS),
      value: Type.String({ minLength: 1, maxLength: 200 }),
      mode: Type.Optional(OneOf(BYPASS_MODES)),
    }),
    {
      maxItems: 100,
      description:
        'kind team (<workspace>/<team>), user (username), role (maintain, admin, owner) or workspace_token (its id); mode always or pull_request.',
    },
  ),
  rules: Type.Array(NewRule, {
    maxItems: 100,
    description: 'Each with its type, its parameters, and applies_to everyone or agents.',
  }),
}
export type NewRules = Static<(typeof RulesetInput)['rules']>
export type NewBypass = Static<(typeof RulesetInput)['bypass_actors']>
export type NewConditions = Static<(typeof RulesetInput)['conditions']>
