/** Records of plans. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const PLAN_STATUSES = ['planning', 'ready', 'failed', 'applied'] as const
export type PlanStatus = (typeof PLAN_STATUSES)[number]

export const SIZES = ['small', 'medium', 'large'] as const

export const MAX_BRIEF_CHARS = 20_000
export const MAX_ISSUES = 50
export const MAX_PATHS = 50
/** Plans of one repository that are not applied. */
export const MAX_OPEN_PLANS = 100

export const PlanIssue = Type.Object({
  position: Type.Integer({ description: 'From 1.' }),
  title: Type.String(),
  body: Type.String(),
  labels: Type.Array(Type.String()),
  checks: Type.Array(Type.String(), { description: 'Commands that must pass.' }),
  depends_on: Type.Array(Type.Integer(), { description: 'Positions that must close first.' }),
  paths: Type.Array(Type.String(), { description: 'Files that are expected to change.' }),
  size: OneOf(SIZES),
  kept: Nullable(Type.Boolean({ description: 'Whether it became an issue; null until then.' })),
  number: Nullable(Type.Integer({ description: 'The issue that it became.' })),
})
export type PlanIssue = Static<typeof PlanIssue>

export const Plan = Type.Object(
  {
    id: Id('pln'),
    repo: Type.String(),
    brief: Type.String(),
    status: OneOf(PLAN_STATUSES),
    summary: Nullable(Type.String()),
    issues: Type.Array(PlanIssue),
    questions: Type.Array(Type.String(), { description: 'What the planner could not decide.' }),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    cost_usd: Nullable(Type.Number()),
    created_by: Nullable(Actor),
    applied_by: Nullable(Actor),
    created_at: Time,
    ready_at: Nullable(Time),
    applied_at: Nullable(Time),
    html_url: Type.String(),
  },
  { $id: 'Plan', description: 'Issues that are proposed for a brief, with their order.' },
)
export type Plan = Static<typeof Plan>
export const Plans = ListOf(Plan)
