/**
 * The features, in the order in which one may build on another. A new one is a folder and a line
 * here.
 */
import type { Feature } from '#core/hearth.ts'
import { feature as accounts } from './accounts/index.ts'
import { feature as wiki } from './wiki/index.ts'
import { feature as workspaces } from './workspaces/index.ts'
import { feature as repos } from './repos/index.ts'
import { feature as teams } from './teams/index.ts'
import { feature as collaborators } from './collaborators/index.ts'
import { feature as issues } from './issues/index.ts'
import { feature as boards } from './boards/index.ts'
import { feature as checks } from './checks/index.ts'
import { feature as pulls } from './pulls/index.ts'
import { feature as oauth } from './oauth/index.ts'
import { feature as devices } from './devices/index.ts'
import { feature as sso } from './sso/index.ts'
import { feature as agents } from './agents/index.ts'
import { feature as memory } from './memory/index.ts'
import { feature as plans } from './plans/index.ts'
import { feature as context } from './context/index.ts'
import { feature as assistant } from './assistant/index.ts'
import { feature as triage } from './triage/index.ts'
import { feature as audit } from './audit/index.ts'
import { feature as webhooks } from './webhooks/index.ts'
import { feature as notifications } from './notifications/index.ts'
import { feature as images } from './images/index.ts'
import { feature as imports } from './imports/index.ts'
import { feature as mirrors } from './mirrors/index.ts'
import { feature as rulesets } from './rulesets/index.ts'
import { feature as keys } from './keys/index.ts'
import { feature as statuses } from './statuses/index.ts'
import { feature as releases } from './releases/index.ts'
import { feature as lfs } from './lfs/index.ts'
import { feature as packages } from './packages/index.ts'
import { feature as attachments } from './attachments/index.ts'
import { feature as variables } from './variables/index.ts'
import { feature as workflows } from './workflows/index.ts'
import { feature as environments } from './environments/index.ts'
import { feature as artifacts } from './artifacts/index.ts'
import { feature as runners } from './runners/index.ts'
import { feature as security } from './security/index.ts'
import { feature as integrations } from './integrations/index.ts'
import { feature as incoming } from './incoming/index.ts'
import { feature as models } from './models/index.ts'
import { feature as agentRuns } from './agent-runs/index.ts'
import { feature as queue } from './queue/index.ts'
import { feature as backups } from './backups/index.ts'
import { feature as overview } from './overview/index.ts'
import { feature as transfer } from './transfer/index.ts'
import { feature as site } from './site/index.ts'
import { feature as storage } from './storage/index.ts'
import { feature as search } from './search/index.ts'
import { feature as standby } from './standby/index.ts'

export const features: readonly Feature[] = [
  accounts,
  workspaces,
  repos,
  teams,
  collaborators,
  issues,
  checks,
  pulls,
  oauth,
  devices,
  sso,
  agents,
  memory,
  audit,
  webhooks,
  notifications,
  images,
  imports,
  mirrors,
  rulesets,
  keys,
  releases,
  packages,
  attachments,
  lfs,
  wiki,
  statuses,
  boards,
  variables,
  workflows,
  environments,
  artifacts,
  runners,
  security,
  integrations,
  incoming,
  models,
  plans,
  agentRuns,
  queue,
  backups,
  storage,
  search,
  context,
  assistant,
  triage,
  overview,
  transfer,
  site,
  standby,
]
