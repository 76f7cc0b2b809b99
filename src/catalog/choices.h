// The names of the catalog's enumerations.
#pragma once

#include "base/choices.h"
#include "trainyard/catalog_records.h"

namespace trainyard {

template <>
struct Choices<Accumulation> {
  static constexpr Choice<Accumulation> kAll[] = {
      {Accumulation::hidden, "hidden", "costs nothing"},
      {Accumulation::fused, "fused", "the products of weight gradients add to the sum themselves"},
      {Accumulation::apart, "apart", "a kernel of its own adds each weight gradient to the sum"}};
};

template <>
struct Choices<ContextExchange> {
  static constexpr Choice<ContextExchange> kAll[] = {
      {ContextExchange::all_to_all, "all_to_all", "ranks exchange queries, keys, values and results"},
      {ContextExchange::all_gather, "all_gather", "ranks gather all keys and values before attention"},
      {ContextExchange::ring, "ring", "keys and values pass by while their scores are computed"}};
};

template <>
struct Choices<Precision> {
  static constexpr Choice<Precision> kAll[] = {{Precision::fp64, "fp64", "8 bytes"},
                                               {Precision::fp32, "fp32", "4 bytes"},
                                               {Precision::tf32, "tf32", "4 bytes in memory"},
                                               {Precision::bf16, "bf16", "2 bytes"},
                                               {Precision::fp16, "fp16", "2 bytes"},
                                               {Precision::fp8, "fp8", "1 byte"},
                                               {Precision::int8, "int8", "1 byte"},
                                               {Precision::fp6, "fp6", "6 bits"},
                                               {Precision::fp4, "fp4", "4 bits"}};
};

template <>
struct Choices<RateCounts> {
  static constexpr Choice<RateCounts> kAll[] = {
      {RateCounts::each_direction, "each direction", "the figure is one direction"},
      {RateCounts::both_directions, "both directions", "the figure is the sum of both directions"}};
};

template <>
struct Choices<LinkKind> {
  static constexpr Choice<LinkKind> kAll[] = {
      {LinkKind::dac, "dac", "passive copper cable"},
      {LinkKind::aec, "aec", "active copper cable"},
      {LinkKind::aoc, "aoc", "active optical cable"},
      {LinkKind::transceiver, "transceiver", "optical module, one an end"}};
};

template <>
struct Choices<PriceBasis> {
  static constexpr Choice<PriceBasis> kAll[] = {
      {PriceBasis::per_end, "per end", "one module"},
      {PriceBasis::per_cable, "per cable", "both ends and the cable"}};
};

template <>
struct Choices<BiasTerms> {
  static constexpr Choice<BiasTerms> kAll[] = {{BiasTerms::none, "none", "no bias vectors in attention"},
                                               {BiasTerms::qkv, "qkv", "query, key and value"},
                                               {BiasTerms::all, "all", "query, key, value and output"}};
};

template <>
struct Choices<NormKind> {
  static constexpr Choice<NormKind> kAll[] = {
      {NormKind::layer, "layer", "LayerNorm: weight and bias"},
      {NormKind::layer_no_bias, "layer_no_bias", "LayerNorm without bias"},
      {NormKind::rms, "rms", "RMSNorm: weight"}};
};

template <>
struct Choices<Activation> {
  static constexpr Choice<Activation> kAll[] = {
      {Activation::gelu, "gelu", "Gaussian error linear unit"},
      {Activation::relu, "relu", "rectified linear unit"},
      {Activation::squared_relu, "squared_relu", "its square (Nemotron)"},
      {Activation::silu, "silu", "x sigmoid(x), also called swish"},
      {Activation::swiglu, "swiglu", "silu of one half times the other: gated"},
      {Activation::geglu, "geglu", "gelu of one half times the other: gated"}};
};

template <>
struct Choices<AttentionKind> {
  static constexpr Choice<AttentionKind> kAll[] = {
      {AttentionKind::full, "full", "multi-head, multi-query or grouped-query"},
      {AttentionKind::latent, "latent", "multi-head latent attention (DeepSeek-V2)"}};
};

}  // namespace trainyard
