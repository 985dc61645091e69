export const chartTexts = {
  asTable: 'Show as a table',
  asPlot: 'Show as a plot',
}
