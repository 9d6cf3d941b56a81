/** The features, in the order in which one may build on another. A new one is a folder and a line here. */
import type { Feature } from '#core/hearth.ts'
import { feature as accounts } from './accounts/index.ts'
import { feature as workspaces } from './workspaces/index.ts'
import { feature as repos } from './repos/index.ts'
import { feature as teams } from './teams/index.ts'
import { feature as collaborators } from './collaborators/index.ts'
import { feature as issues } from './issues/index.ts'
import { feature as pulls } from './pulls/index.ts'
import { feature as oauth } from './oauth/index.ts'
import { feature as devices } from './devices/index.ts'
import { feature as sso } from './sso/index.ts'
import { feature as agents } from './agents/index.ts'
import { feature as audit } from './audit/index.ts'

export const features: readonly Feature[] = [accounts, workspaces, repos, teams, collaborators, issues, pulls, oauth, devices, sso, agents, audit]
