/** Projects of workspaces and their boards. */
import type { SiteSection } from '../../site.ts'
import { moveCardForm, projectBoardPage } from './board.tsx'
import { newProjectForm, newProjectPage, projectsPage } from './list.tsx'
import { projectSettingsForms, projectSettingsPage } from './settings.tsx'

export const projects: SiteSection = {
  pages: [projectsPage, newProjectPage, projectBoardPage, projectSettingsPage],
  forms: [newProjectForm, moveCardForm, ...projectSettingsForms],
}
