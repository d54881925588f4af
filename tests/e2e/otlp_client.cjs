// Sends metrics with OpenTelemetry's SDK for JavaScript. Usage: node otlp_client.cjs URL proto|http delta|cumulative
// Prints what its up-down counter was in all exports together.
"use strict";

const { MeterProvider, PeriodicExportingMetricReader, View, ExponentialHistogramAggregation } = require("@opentelemetry/sdk-metrics");
const { Resource } = require("@opentelemetry/resources");

const [, , url, encoding, temporality] = process.argv;
const { OTLPMetricExporter } = require(`@opentelemetry/exporter-metrics-otlp-${encoding}`);
const { AggregationTemporalityPreference } = require("@opentelemetry/exporter-metrics-otlp-http");

const exporter = new OTLPMetricExporter({
  url,
  temporalityPreference: AggregationTemporalityPreference[temporality.toUpperCase()],
  compression: encoding === "proto" ? "gzip" : "none",
});

let upDownOfAll = 0;
let failures = 0;
const send = exporter.export.bind(exporter);
exporter.export = (metrics, done) => {
  for (const scope of metrics.scopeMetrics) {
    for (const metric of scope.metrics) {
      if (metric.descriptor.name !== "js.up_down") continue;
      for (const point of metric.dataPoints) upDownOfAll += point.value;
    }
  }
  send(metrics, (result) => {
    if (result.code !== 0) {
      ++failures;
      console.error(result.error);
    }
    done(result);
  });
};

async function main() {
  const provider = new MeterProvider({
    resource: new Resource({
      "service.name": "js",
      "service.instance.id": `${encoding}-${temporality}`,
      "process.runtime.version": process.version,
    }),
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
    views: [new View({ instrumentName: "js.exponential", aggregation: new ExponentialHistogramAggregation(20) })],
  });
  const meter = provider.getMeter("statmill-test", "1.0");
  const counter = meter.createCounter("js.requests", { unit: "{request}", description: "Requests." });
  const upDown = meter.createUpDownCounter("js.up_down");
  const histogram = meter.createHistogram("js.latency", { unit: "ms" });
  const exponential = meter.createHistogram("js.exponential", { unit: "ms" });
  meter.createObservableGauge("js.observed").addCallback((result) => result.observe(7));
  let sum = 0;
  meter.createObservableCounter("js.observed_counter").addCallback((result) => result.observe(sum));
  for (let round = 1; round <= 5; ++round) {
    for (let i = 1; i <= 200; ++i) {
      counter.add(i, { "http.method": i % 2 === 0 ? "GET" : "POST", retried: i % 3 === 0 });
      upDown.add(i % 7 === 0 ? -2 : 1);
      histogram.record(i * round);
      exponential.record(i * round * (i % 5 === 0 ? 0 : 0.25));
      sum += i;
    }
    await provider.forceFlush();
  }
  await provider.shutdown();
  console.log(upDownOfAll);
  process.exitCode = failures > 0 ? 1 : 0;
}

main();
