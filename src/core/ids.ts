/** Ids of records: TypeIDs with the prefixes of Hearth. */
import * as typeid from '#lib/typeid.ts'
import type { TypeId } from '#lib/typeid.ts'

/** Every prefix in use, with the kind of record that it names. */
export const PREFIXES = {
  usr: 'user',
  wsp: 'workspace',
  rep: 'repository',
  pr: 'pull request',
  iss: 'issue',
  cmt: 'comment',
  rvw: 'review',
  lbl: 'label',
  mls: 'milestone',
  team: 'team',
  tok: 'token',
  key: 'SSH, signing or deploy key',
  inv: 'invitation',
  ivt: 'sign-up invite',
  app: 'approved application',
  set: 'variable or secret row',
  wfl: 'workflow',
  run: 'run',
  job: 'workflow job',
  art: 'artifact',
  cac: 'cache',
  rnr: 'runner',
  env: 'environment',
  dpl: 'deployment',
  sts: 'commit status',
  chk: 'acceptance check run',
  mqe: 'merge queue entry',
  pkg: 'package',
  pkv: 'package version',
  pup: 'package upstream',
  rel: 'release',
  ast: 'release asset',
  att: 'attachment',
  lck: 'file lock',
  rmt: 'mirror link',
  imp: 'import',
  rs: 'ruleset',
  rse: 'rule evaluation',
  vrp: 'vulnerability report',
  adv: 'advisory',
  ana: 'code scanning analysis',
  sar: 'SARIF upload',
  csa: 'code scanning alert',
  sec: 'secret alert',
  spt: 'secret pattern',
  dpa: 'dependency alert',
  evt: 'event',
  whk: 'webhook',
  dlv: 'delivery',
  mem: 'memory',
  pln: 'plan',
  ask: 'question about a repository',
  tri: 'proposal for an issue',
  itg: 'integration',
  agt: 'agent',
  qst: 'question to an agent',
  prj: 'project',
  ntf: 'notification',
  aud: 'audit entry',
  bkp: 'backup',
  sgn: 'website sign-in',
  pct: 'push certificate',
  bgj: 'background job',
  ckr: 'run of checks',
} as const

export type Prefix = keyof typeof PREFIXES

/** A new id for a time in milliseconds. */
export const typeId: <P extends Prefix>(prefix: P, now: number) => TypeId<P> = typeid.typeId

/** An id for a record of the past. Of several of one second, the lower `order` sorts first. */
export const typeIdAt: <P extends Prefix>(prefix: P, time_ms: number, order: number) => TypeId<P> =
  typeid.typeIdAt

/** The lowest id of a time. */
export const lowestIdAt: <P extends Prefix>(prefix: P, time: string) => TypeId<P> =
  typeid.lowestIdAt

export const isTypeId = <P extends Prefix>(text: string, prefix: P): text is TypeId<P> =>
  typeid.isTypeId(text, prefix)
