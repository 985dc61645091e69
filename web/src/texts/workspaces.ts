export const workspacesTexts = {
  title: 'Choose a workspace',
  description: 'Each workspace has its own connectors, workflows, runs and keys.',
  none: {
    title: 'No workspaces yet',
    text: 'Ask an administrator of your organisation for an invitation.',
    create: 'Create the first one below.',
  },
  new: 'New workspace',
  name: 'Name',
  create: 'Create workspace',
  nameMissing: 'Enter a name.',
}
