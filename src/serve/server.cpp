#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "serve/connection.h"
#include "serve/door.h"
#include "serve/house.h"
#include "serve/jobs.h"
#include "serve/serve.h"
#include "serve/worker.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace serving {
namespace {

namespace net = boost::asio;
using Tcp = net::ip::tcp;
using Error = boost::system::error_code;

class Server {
 public:
  explicit Server(const ServeOptions& options)
      : acceptor_(io_), pause_(io_), stops_(io_), children_(io_, SIGCHLD) {
    house_.emplace(io_, options, opened(options));
    jobs_.emplace(io_, *house_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      if (!is_ignored(number)) stops_.add(number);
    }
  }

  std::string url() const { return house_->door().url(); }

  void run() {
    stops_.async_wait([this](Error, int) { io_.stop(); });
    reap();
    accept();
    io_.run();
  }

 private:
  /// A program that is started with nohup stays so.
  static bool is_ignored(int number) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    return now.sa_handler == SIG_IGN;
  }

  /// Listens, and is then the door of that address.
  Door opened(const ServeOptions& options) {
    Error error;
    const auto address = net::ip::make_address(options.address, error);
    if (error) {
      fail_input(whole("--listen " + options.address), "is no address",
                 "127.0.0.1 (this machine alone), ::1, 0.0.0.0, or another number of this machine");
    }
    const Tcp::endpoint end(address, options.port);
    acceptor_.open(end.protocol());
    acceptor_.set_option(Tcp::acceptor::reuse_address(true));
    acceptor_.bind(end, error);
    if (!error) acceptor_.listen(Tcp::acceptor::max_listen_connections, error);
    if (error) {
      fail_input(whole("--port " + std::to_string(options.port)), error.message(),
                 "another port, or 0 for a free one");
    }
    return {options.address, acceptor_.local_endpoint().port(), new_token()};
  }

  void reap() {
    children_.async_wait([this](Error error, int) {
      if (error) return;
      house_->killed().reap();
      reap();
    });
  }

  void accept() {
    acceptor_.async_accept([this](Error error, Tcp::socket socket) {
      if (error) return wait_for_descriptors();
      const bool has_room = house_->make_room();
      const auto connection = std::make_shared<Connection>(std::move(socket), *house_, *jobs_);
      if (has_room)
        connection->start();
      else
        connection->refuse_at_once();
      accept();
    });
  }

  void wait_for_descriptors() {
    constexpr std::chrono::milliseconds kMoment{50};
    pause_.expires_after(kMoment);
    pause_.async_wait([this](Error error) {
      if (!error) accept();
    });
  }

  std::optional<House> house_;  // outlives the connections, which end with io_
  net::io_context io_{1};
  std::optional<Jobs> jobs_;
  Tcp::acceptor acceptor_;
  net::steady_timer pause_;
  net::signal_set stops_;
  net::signal_set children_;
};

void check_folder(const std::string& folder) {
  struct stat facts = {};
  if (folder.empty() || (stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode))) return;
  fail_input(whole("--folder " + folder), "is no folder", "a folder whose files scenarios may name");
}

}  // namespace
}  // namespace serving

void serve(const ServeOptions& options, const std::function<void(const std::string& url)>& started) {
  serving::check_folder(options.folder);
  serving::Server server(options);
  started(server.url());
  if (!options.once) server.run();
}

}  // namespace trainyard
