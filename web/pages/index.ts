/** The pages of all folders. */
import type { SiteSection } from '../site.ts'
import { accounts } from './accounts/index.ts'
import { admin } from './admin/index.ts'
import { attachments } from './attachments/index.ts'
import { code } from './code/index.ts'
import { context } from './context/index.ts'
import { environments } from './environments/index.ts'
import { images } from './images/index.ts'
import { integrations } from './integrations/index.ts'
import { issues } from './issues/index.ts'
import { memory } from './memory/index.ts'
import { mirrors } from './mirrors/index.ts'
import { notifications } from './notifications/index.ts'
import { assistant } from './assistant/index.ts'
import { plans } from './plans/index.ts'
import { packages } from './packages/index.ts'
import { projects } from './projects/index.ts'
import { pulls } from './pulls/index.ts'
import { queue } from './queue/index.ts'
import { releases } from './releases/index.ts'
import { repos } from './repos/index.ts'
import { rulesets } from './rulesets/index.ts'
import { runs } from './runs/index.ts'
import { search } from './search/index.ts'
import { security } from './security/index.ts'
import { runners } from './runners/index.ts'
import { variables } from './variables/index.ts'
import { webhooks } from './webhooks/index.ts'
import { wiki } from './wiki/index.ts'
import { workspaces } from './workspaces/index.ts'
import { writing } from './writing/index.ts'
import { avatar } from './avatar.ts'
import { diagramFrame } from './diagram.ts'
import { guidePages, oldGuidePage } from './guide.tsx'
import { homePage } from './home.tsx'
import { answerInvitationForm, invitationPage } from './invitation.tsx'

const general: SiteSection = {
  pages: [homePage, ...guidePages, oldGuidePage, invitationPage],
  forms: [answerInvitationForm],
  resources: [avatar, diagramFrame],
}

export const sections: readonly SiteSection[] = [
  general,
  accounts,
  admin,
  attachments,
  code,
  context,
  environments,
  images,
  integrations,
  issues,
  memory,
  mirrors,
  notifications,
  assistant,
  plans,
  packages,
  projects,
  pulls,
  queue,
  releases,
  repos,
  rulesets,
  runs,
  search,
  security,
  runners,
  variables,
  webhooks,
  wiki,
  workspaces,
  writing,
]
