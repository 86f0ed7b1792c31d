// stridewise ls FILE
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

#include "common.hpp"
#include "dump_files.hpp"
#include "stridewise/container.hpp"

namespace stridewise::cli {
namespace {

struct LsCommand {
  std::string file;
};

// A row of the answer.
struct Listed {
  std::string name, type, shape, layout;
  std::int64_t bytes = 0;
  std::string note;
};

std::string format_name(ContainerFormat format) {
  switch (format) {
    case ContainerFormat::safetensors:
      return "safetensors";
    case ContainerFormat::safetensors_index:
      return "safetensors index";
    case ContainerFormat::gguf:
      return "GGUF";
    case ContainerFormat::npz:
      return "npz";
  }
  return "";
}

// "F16 -> u4": the stored type, and what it holds where the file says so.
std::string type_text(const ContainedTensor& tensor) {
  return tensor.logical_type.empty()
             ? tensor.type_name
             : tensor.type_name + " of " + tensor.logical_type;
}

Listed listed(const ContainedTensor& tensor) {
  Listed row{.name = tensor.name,
             .type = one_line(type_text(tensor)),
             .shape = print_extents(tensor.shape),
             .layout = tensor.layout,
             .bytes = tensor.bytes,
             .note = tensor.refused};
  if (!tensor.logical_shape.empty())
    row.layout += " of " + tensor.logical_shape;
  if (tensor.fortran_order) row.note = "Fortran order";
  if (tensor.big_endian) row.note = "big-endian";
  if (tensor.compressed && row.note.empty()) row.note = "compressed";
  return row;
}

Json json_of(const ContainedTensor& tensor, const Container& container) {
  const auto& file = container.files()[static_cast<std::size_t>(tensor.file)];
  const auto text = [](const std::string& value) {
    return value.empty() ? Json() : Json(value);
  };
  return {{"name", tensor.name},
          {"stored_type", tensor.type_name},
          {"dtype", tensor.type ? Json(tensor.type->name) : Json()},
          {"extents", tensor.shape},
          {"bytes", tensor.bytes},
          {"offset", tensor.offset},
          {"file", file.string()},
          {"layout", text(tensor.layout)},
          {"shape", text(tensor.logical_shape)},
          {"logical_dtype", text(tensor.logical_type)},
          {"big_endian", tensor.big_endian},
          {"fortran_order", tensor.fortran_order},
          {"compressed", tensor.compressed},
          {"refused", text(tensor.refused)}};
}

std::string table(const std::vector<Listed>& rows) {
  constexpr std::size_t widest = 64;
  std::array<std::size_t, 3> sizes{};
  for (const Listed& row : rows) {
    sizes[0] = std::max(sizes[0], std::min(widest, one_line(row.name).size()));
    sizes[1] = std::max(sizes[1], row.type.size());
    sizes[2] = std::max(sizes[2], row.shape.size());
  }
  std::string text;
  for (const Listed& row : rows) {
    std::string line = fmt::format(
        "{:<{}}  {:<{}}  {:<{}}  {:>10}", one_line(row.name), sizes[0],
        row.type, sizes[1], row.shape.empty() ? "-" : row.shape, sizes[2],
        print_bytes(static_cast<double>(row.bytes)));
    if (!row.layout.empty()) line += "  " + one_line(row.layout);
    if (!row.note.empty()) line += "  (" + one_line(row.note) + ")";
    text += line + "\n";
  }
  return text;
}

void list_container(const Context& context, const std::string& path) {
  const Container container = value_of(Container::open(path));
  Json tensors = Json::array();
  std::vector<Listed> rows;
  std::int64_t bytes = 0;
  for (const ContainedTensor& tensor : container.tensors()) {
    rows.push_back(listed(tensor));
    if (context.json) tensors.push_back(json_of(tensor, container));
    bytes += tensor.bytes;
  }
  const std::string format = format_name(container.format());
  context.answer(
      {{"format", format}, {"tensors", std::move(tensors)}},
      table(rows) + fmt::format("{} tensor{}, {}: {}\n", rows.size(),
                                rows.size() == 1 ? "" : "s",
                                print_bytes(static_cast<double>(bytes)),
                                format));
}

// One array, as if it were the only tensor of its file.
void list_array(const Context& context, const std::string& path) {
  const TensorFile file = value_of(open_tensor(path));
  if (!file.npy) {
    throw Failure{{ErrorCode::unsupported,
                   path +
                       ": raw bytes, which say nothing of a tensor; ls is of "
                       ".npy, .npz, .safetensors, .gguf and .index.json"}};
  }
  const NpyHeader& npy = *file.npy;
  const std::string type =
      npy.type ? std::string(npy.type->name)
               : fmt::format("{} opaque bytes", npy.element_bytes);
  Listed row{.name = path,
             .type = type,
             .shape = print_extents(npy.shape),
             .layout = {},
             .bytes = file.data_bytes,
             .note = {}};
  if (npy.fortran_order) row.note = "Fortran order";
  if (npy.big_endian) row.note = "big-endian";
  Json tensors = Json::array();
  tensors.push_back({{"name", path},
                     {"dtype", npy.type ? Json(npy.type->name) : Json()},
                     {"extents", npy.shape},
                     {"bytes", file.data_bytes},
                     {"offset", file.data_offset},
                     {"big_endian", npy.big_endian},
                     {"fortran_order", npy.fortran_order}});
  context.answer({{"format", "npy"}, {"tensors", std::move(tensors)}},
                 table({row}));
}

void run_ls(const Context& context, const LsCommand& options) {
  if (is_container(options.file)) {
    list_container(context, options.file);
  } else {
    list_array(context, options.file);
  }
}

}  // namespace

void add_ls(Command app, Context& context) {
  Command command = app.add_command(
      "ls", "the tensors of a .safetensors, .gguf, .npz or .index.json file");
  command.footer(
      "Every command that reads a file takes one of its tensors as FILE:NAME; "
      "convert writes\nto OUT.safetensors:NAME as well.\n"
      "  stridewise ls model.safetensors\n"
      "  stridewise decode model.safetensors:layers.0.w w.npy");
  auto options = std::make_shared<LsCommand>();
  command.add_option("FILE", options->file, "the file").required();
  command.callback([&context, options] { run_ls(context, *options); });
}

}  // namespace stridewise::cli
