/** The features, in the order in which one may build on another. A new one is a folder and a line here. */
import type { Feature } from '#core/hearth.ts'
import { feature as accounts } from './accounts/index.ts'
import { feature as workspaces } from './workspaces/index.ts'
import { feature as repos } from './repos/index.ts'
import { feature as issues } from './issues/index.ts'
import { feature as pulls } from './pulls/index.ts'

export const features: readonly Feature[] = [accounts, workspaces, repos, issues, pulls]
