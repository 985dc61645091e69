import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { hasLanguageModel } from '../draft/node-kinds.ts'
import { insertableTypes } from '../draft/order.ts'
import { useProviders } from '../queries.ts'
import { useEditing } from './editing.ts'
import { NodeIcon } from './step-display.tsx'

/** Offers only the nodes that fit here. */
export function AddStep({ index, after }: { index: number; after: string }) {
  const { draft, disabled, add } = useEditing()
  const offers = insertableTypes(draft.nodes, index)
  const hasModel = hasLanguageModel(useProviders())
  if (disabled || offers.length === 0) return null
  return (
    <Menu position="right" width={300} withinPortal>
      <Menu.Target>
        <ActionIcon variant="default" radius="xl" size={28} aria-label={texts.editor.addAfter(after)}>
          <IconPlus size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offers.map((type) => {
          // The service would refuse it.
          const obstacle = type === 'prompter' && !hasModel ? texts.node.needsModel : undefined
          return (
            <Menu.Item
              key={type}
              leftSection={<NodeIcon type={type} />}
              // Not `disabled`: the first entry must take the focus.
              data-disabled={obstacle ? true : undefined}
              aria-disabled={obstacle ? true : undefined}
              onClick={() => obstacle || add(type, index)}
            >
              {texts.nodes[type].name}
              <Text component="span" display="block" size="xs" c={obstacle ? undefined : 'dimmed'}>
                {obstacle ?? texts.nodes[type].about}
              </Text>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
