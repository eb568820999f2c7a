class Ponnuki < Formula
  desc "Play engine for the game of Go with its network inside"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/ponnuki-universal-apple-darwin.tar.gz"
    sha256 "@SHA256:ponnuki-universal-apple-darwin.tar.gz@"
  end
  on_linux do
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/ponnuki-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:ponnuki-x86_64-unknown-linux-musl.tar.gz@"
    end
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/ponnuki-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:ponnuki-aarch64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "ponnuki"
    man6.install "ponnuki.6"
    bash_completion.install "ponnuki.bash" => "ponnuki"
    zsh_completion.install "_ponnuki"
    fish_completion.install "ponnuki.fish"
  end

  test do
    assert_equal "= Ponnuki", pipe_output(bin/"ponnuki", "name\nquit\n").lines.first.chomp
  end
end
