// Messages for screen readers, in a polite live region.
let region: HTMLElement | null = null

export const announce = (message: string): void => {
  if (!region) {
    region = document.createElement('div')
    region.className = 'unseen'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  region.textContent = message
}
