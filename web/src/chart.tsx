// Line charts and timelines, by ECharts: drawn on a canvas, zoomed by wheel, drag or keys.
import { BarChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { DataZoomComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "preact/hooks";
import { withUnit } from "./format";

echarts.use([BarChart, CanvasRenderer, CustomChart, DataZoomComponent, GridComponent, LegendComponent, LineChart, ScatterChart, TooltipComponent]);

/** Okabe and Ito's colours, which most eyes tell apart. */
export const kColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8c8c00", "#7f7f7f", "#332288", "#882255", "#44aa99", "#ddaa33", "#aa4499"];

export interface Axis {
  label: string;
  unit: string;
  log: boolean;
}

export interface ChartData {
  name: string;
  title: string;
  x: Axis;
  y: Axis;
  lines: { label: string; joined: boolean; points: [number | null, number | null][] }[];
}

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** What all of them share, in the colours of the day. */
export function frame(): Record<string, unknown> {
  return {
    animation: false,
    progressive: 0, // drawn in parts, several series wipe each other out, and a chart that is left meanwhile throws
    color: kColours,
    textStyle: { fontFamily: "system-ui, sans-serif", color: colourOf("--ink") },
    tooltip: { renderMode: "richText", confine: true, backgroundColor: colourOf("--panel"), textStyle: { color: colourOf("--ink"), fontSize: 12 }, borderColor: colourOf("--line") },
  };
}

export function axisStyle(): Record<string, unknown> {
  return {
    axisLine: { lineStyle: { color: colourOf("--soft") } },
    axisLabel: { color: colourOf("--soft"), hideOverlap: true },
    nameTextStyle: { color: colourOf("--soft") },
    splitLine: { lineStyle: { color: colourOf("--line") } },
  };
}

const kZoomStep = 0.2;

/** Arrow keys move the window, plus and minus change it, 0 shows all. */
function onKey(chart: echarts.ECharts, event: KeyboardEvent): void {
  const zoom = (chart.getOption().dataZoom as { start: number; end: number }[] | undefined)?.[0];
  if (!zoom) return;
  let { start, end } = zoom;
  const width = end - start;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const by = Math.max(-start, Math.min(100 - end, (event.key === "ArrowLeft" ? -1 : 1) * width * kZoomStep));
    start += by;
    end += by;
  } else if (event.key === "+" || event.key === "=") {
    start += width * kZoomStep;
    end -= width * kZoomStep;
  } else if (event.key === "-") {
    start = Math.max(0, start - width * kZoomStep);
    end = Math.min(100, end + width * kZoomStep);
  } else if (event.key === "0") {
    start = 0;
    end = 100;
  } else return;
  event.preventDefault();
  chart.dispatchAction({ type: "dataZoom", start, end });
}

export function Canvas(props: { option: () => Record<string, unknown>; of: unknown; label: string; height: number }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const chart = echarts.init(box.current!, undefined, { renderer: "canvas" });
    const draw = () => chart.setOption(props.option() as echarts.EChartsCoreOption, true);
    draw();
    const resized = new ResizeObserver(() => chart.resize());
    resized.observe(box.current!);
    const key = (event: KeyboardEvent) => onKey(chart, event);
    box.current!.addEventListener("keydown", key);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const node = box.current!;
    return () => {
      resized.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", draw);
      node.removeEventListener("keydown", key);
      chart.dispose();
    };
  }, [props.of]);
  return (
    <div class="canvas" style={{ height: props.height + "px" }} ref={box} tabIndex={0} role="img" aria-label={props.label + ". Arrow keys, plus, minus and 0 move and zoom."} />
  );
}

export function LineChartOf(props: { data: ChartData; height?: number }) {
  const d = props.data;
  const option = () => ({
    ...frame(),
    grid: { left: 12, right: 24, top: d.lines.length > 1 ? 44 : 20, bottom: 60, containLabel: true },
    legend: d.lines.length > 1 ? { type: "scroll", top: 4, textStyle: { color: colourOf("--ink") } } : undefined,
    dataZoom: [{ type: "inside" }, { type: "slider", height: 18, bottom: 6 }],
    xAxis: { type: d.x.log ? "log" : "value", name: d.x.label, nameLocation: "middle", nameGap: 26, scale: true, ...axisStyle(), axisLabel: { color: colourOf("--soft"), hideOverlap: true, formatter: (v: number) => withUnit(v, d.x.unit) } },
    yAxis: { type: d.y.log ? "log" : "value", ...axisStyle(), axisLabel: { color: colourOf("--soft"), formatter: (v: number) => withUnit(v, d.y.unit) } },
    tooltip: { ...(frame().tooltip as object), trigger: "axis", valueFormatter: (v: number) => withUnit(v, d.y.unit) },
    series: d.lines.map((line) => ({ name: line.label, type: line.joined ? "line" : "scatter", showSymbol: line.points.length < 60, symbolSize: 6, data: line.points })),
  });
  return (
    <figure class="chartbox">
      <figcaption>
        <span class="soft">{d.y.label}</span>
      </figcaption>
      <Canvas option={option} of={d} label={`${d.title}: ${d.y.label} over ${d.x.label}`} height={props.height ?? 300} />
    </figure>
  );
}
